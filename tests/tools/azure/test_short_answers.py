"""No answer of a tool that reads spends tokens on nulls, parts of seconds, or what all ids begin with."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import pytest

from mcp_server.declarations.toolset import Tool
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.reading_all import READS, asked_of, reading_all

PRECISE: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+")
# A document as Azure has it, or what a file, a log or a table contains, is shown as it is.
AS_IT_IS: Final = frozenset(
    {"read_azure", "download_blob", "export_resource_group_template", "show_app_logs", "query_storage_table"}
)
SHORTEST_SHARED: Final = 30


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    async with reading_all("Bakery Production") as someone:
        yield someone


@Sweep("tool", [one for one in READS if one.name not in AS_IT_IS], ids=lambda tool: tool.name, every=3)
async def test_an_answer_says_nothing_in_vain(tool: Tool, caller: Caller) -> None:
    for arguments in asked_of(tool):
        result = await caller.call(tool.name, **arguments)
        if not result["isError"]:
            told = result["structuredContent"]
            assert not list(nulls_in(told))
            assert not PRECISE.findall(result["content"][0]["text"])
            assert not columns_with_one_beginning([one for one in told.get("items", []) if isinstance(one, dict)])


def nulls_in(told: Any, path: str = "") -> Iterator[str]:
    for name, value in told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ():
        # In a course of values, a moment without any keeps its place.
        if value is None and not path.endswith(".values"):
            yield f"{path}.{name}"
        yield from nulls_in(value, f"{path}.{name}")


def columns_with_one_beginning(rows: list[dict[str, Any]]) -> set[str]:
    """Columns of whole ids that begin alike."""
    names = {name for row in rows for name, value in row.items() if str(value).lower().startswith("/subscriptions/")}
    columns = {name: [str(row[name]).lower() for row in rows if row.get(name)] for name in names}
    return {name for name, ids in columns.items() if len(ids) > 1 and len({one[:SHORTEST_SHARED] for one in ids}) == 1}
