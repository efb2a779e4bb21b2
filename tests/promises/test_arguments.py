"""Of every tool, arguments that are not valid are refused before anything is asked, started or written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from mcp_server.declarations.tool import Tool
from mcp_server.http.messages import HttpAnswer
from tests.mcp_server.records import Records
from tests.promises.going_out import going_out
from tests.promises.mistakes import Mistake, mistakes, right
from tests.promises.place import Person, place

pytestmark = pytest.mark.anyio

# They ask nobody, or nobody before the caller has a workspace, a file or a model, lets an extension in, or names a path
# that can be changed.
WITHIN: Final = {"firewall", "me", "workspace", "shelves", "translation", "extensions", "resource-any"}
OTHERS: Final = (Person.learned, Person.by_address, Person.executed, Person.executed_as_mcp)
KINDS: Final = {
    "unknown",
    "missing",
    "of a wrong type",
    "too long",
    "too large",
    "too small",
    "none of the choices",
}


async def test_one_mistake_in_the_arguments_of_any_tool_is_told_and_nothing_is_done(tmp_path: Path) -> None:
    kinds = set()
    async with place(tmp_path) as there:
        owner = there.person("Owner")
        with going_out() as gone, Records.kept() as records:
            for turn, tool in enumerate(there.tools):
                made = list(mistakes(tool))
                # Each is made over MCP, and one of each tool in another way, by turns.
                asked = [(Person.direct, mistake) for mistake in made]
                for way, mistake in [*asked, (OTHERS[turn % len(OTHERS)], made[turn % len(made)])]:
                    answer = await way(owner, tool, mistake.arguments)
                    assert _tells_only(answer, tool, mistake), (tool.name, way.__name__, mistake, answer.body)
                    assert gone == [], (tool.name, way.__name__, mistake)
                    assert (record := records.only)["tool"] == tool.name, record
                    assert record["outcome"] == "refused", record
                    kinds.add(mistake.kind)
    assert kinds == KINDS


def _tells_only(answer: HttpAnswer, tool: Tool, mistake: Mistake) -> bool:
    document = json.loads(answer.body)
    if "jsonrpc" in document:
        assert document["result"]["isError"]
        told = document["result"]["content"][0]["text"]
    else:
        assert answer.status == 400
        told = document["detail"]
    first, *problems = told.splitlines()
    is_refused = first == f"The arguments of {tool.name} are not valid; nothing was done."
    return is_refused and bool(problems) and all(one.startswith(f"- {mistake.parameter}") for one in problems)


async def test_with_right_arguments_tools_of_each_toolset_do_go_out(tmp_path: Path) -> None:
    """By which it is known that the arguments differ from right ones by their mistake, and that going out is seen."""
    out: set[str] = set()
    async with place(tmp_path) as there:
        owner = there.person("Owner")
        for tool in there.tools:
            if tool.toolset not in out and await _goes_out(owner, tool):
                out.add(tool.toolset)
        assert {tool.toolset for tool in there.tools} - out == WITHIN


async def _goes_out(person: Person, tool: Tool) -> bool:
    with going_out() as gone:
        answer = await person.direct(tool, right(tool))
    assert b"are not valid; nothing was done" not in answer.body, (tool.name, answer.body)
    return bool(gone)
