"""Whoever lacks the right to a tool is refused in each way of asking for it, before anything is asked or written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from identity.access import Access
from mcp_server.declarations.tool import Tool
from mcp_server.http import rest_resources
from mcp_server.http.messages import HttpRequest
from tests.mcp_server.records import Records
from tests.promises.going_out import going_out
from tests.promises.mistakes import right
from tests.promises.place import Person, Place, place

pytestmark = pytest.mark.anyio

HTTP: Final = (Person.executed, Person.executed_as_mcp, Person.by_address)
REFUSED: Final = {400, 401, 403, 404}

Who = Callable[[Place], Person]
WITHOUT: Final[dict[str, tuple[Who, Sequence[Access]]]] = {
    "who only reads": (lambda there: there.person("Reader"), (Access.WRITE, Access.DESTROY)),
    "who has no role": (lambda there: there.person(), tuple(Access)),
    "a stranger": (lambda there: there.stranger, tuple(Access)),
}


@pytest.mark.parametrize("who", WITHOUT)
async def test_no_tool_is_run_for_whoever_lacks_the_right_in_any_way_of_asking(tmp_path: Path, who: str) -> None:
    person_of, closed = WITHOUT[who]
    async with place(tmp_path) as there:
        person, tools = person_of(there), [tool for tool in there.tools if tool.access in closed]
        with going_out() as gone, Records.kept() as records:
            for number, tool in enumerate(tools):
                for way in (Person.direct, Person.learned, HTTP[number % len(HTTP)]):
                    answer = await way(person, tool, right(tool))
                    assert (answer.status in REFUSED, gone) == (True, []), (tool.name, way.__name__, answer)
                    _is_on_record(records, tool, who)
    assert len(tools) > 100


def _is_on_record(records: Records, tool: Tool, who: str) -> None:
    if who == "a stranger":  # of whom a few are recorded, and all are counted
        assert len(records.all + records.attempts) <= 1
    else:
        assert [(one["tool"], one["outcome"]) for one in records.all] == [(tool.name, "denied")], tool.name
    records.all.clear()
    records.attempts.clear()


async def test_what_changes_is_not_done_by_the_tool_that_reads_either(tmp_path: Path) -> None:
    async with place(tmp_path) as there:
        reader = there.person("Reader")
        for tool in there.tools:
            if tool.access is not Access.READ:
                with going_out() as gone:
                    answer = await reader.learned(tool, right(tool), "azure")
                assert gone == [], tool.name
                assert answer.status in REFUSED or b'"isError":true' in answer.body, (tool.name, answer)


@pytest.mark.parametrize(("who", "status"), [("who only reads", 404), ("who has no role", 403), ("a stranger", 401)])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_no_resource_is_changed_by_whoever_lacks_the_right(
    tmp_path: Path, who: str, status: int, method: str
) -> None:
    async with place(tmp_path) as there:
        headers = {"host": "localhost:7071", "content-length": "4", "if-match": "*", **WITHOUT[who][0](there).headers}
        request = HttpRequest(method, "/resources/file:///a.md", headers, b"text")
        with going_out() as gone:
            answer = await rest_resources.answer_resources(there.app.endpoint, request)
        assert (answer.status, gone) == (status, [])
