"""The table of docs/changes.md says of each tool how it notices what somebody else changes at the last moment."""

from __future__ import annotations

import os
from typing import Final

import pytest

from mcp_server.declarations.toolset import Tool
from tests.changes.exact.racing import RIGHTS, Undisturbed, is_conditional, undisturbed
from tests.changes.exact.services import CHANGING, Service
from tests.changes.exact.windows import ADDING, CONDITIONAL, PLANNED, ROWS
from tests.sweeps import Sweep
from tools import TOOLSETS

# All of them at night.
LOOKED_AT: Final = [
    (service, tool)
    for service, tool in CHANGING
    if os.environ.get("FUZZ_RACES") or tool.name in (*CONDITIONAL, *ADDING)
]


async def _played(service: Service, tool: Tool) -> list[Undisturbed]:
    played = [await undisturbed(service, tool, case) for case in service.cases_of(tool)]
    return [one for one in played if isinstance(one, Undisturbed) and one.written]


@Sweep(("service", "tool"), LOOKED_AT, ids=[tool.name for _, tool in LOOKED_AT], every=3)
async def test_the_table_says_what_holds_a_tool_to_what_it_read(service: Service, tool: Tool) -> None:
    played = await _played(service, tool)
    if not played:
        pytest.skip("None of its golden cases can be shown.")
    conditional = [await is_conditional(service, one) for one in played]
    assert any(conditional) is (tool.name in CONDITIONAL)
    read = [line for one in played for line in one.told if not RIGHTS.match(line)]
    assert bool(read) is (tool.name not in ADDING)


def test_the_table_names_tools_that_there_are_once() -> None:
    named = [name for tools in ROWS.values() for name in tools]
    changing = {
        tool.name: tool for toolset in TOOLSETS for tool in toolset.tools if not tool.annotations["readOnlyHint"]
    }
    assert [name for name in named if name not in changing] == []
    assert len(named) == len(set(named))
    assert all(changing[name].looks_long for name in PLANNED)
