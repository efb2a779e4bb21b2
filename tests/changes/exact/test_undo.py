"""Whatever changes something says whether and how it can be undone, and where that is a call, it is one."""

from __future__ import annotations

import ast
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, Final, get_origin, get_type_hints

import pytest

from changes.preview import Preview
from changes.undo import UNSAID
from mcp_server.declarations.change import StatedChange
from mcp_server.declarations.function_tool import ChangeTool
from mcp_server.declarations.tool import Tool
from tests.changes.exact.rehearsing import NOT_REHEARSED, rehearsing
from tests.changes.exact.services import CHANGING, NAMES, Service
from tests.changes.exact.undoing import TOOLS, check
from tests.sweeps import Sweep
from tests.tools.azure import undone_calls as of_azure
from tests.tools.azure_devops import undone_calls as of_azure_devops
from tests.tools.golden import Case

# What it shows is done by another tool, if at all.
DRY_RUN: Final = "tools/azure/resource/dry_run.py"
SENT: Final = {*of_azure.SENT, *of_azure_devops.UNDONE}
ROOT: Final = Path(__file__).parents[3]


def _returns(function: Callable[..., Any]) -> Any:
    return get_origin(get_type_hints(function).get("return"))


TOLD_BY_ARGUMENTS: Final = [
    tool for tool in TOOLS.values() if isinstance(tool, ChangeTool) and _returns(tool.function) is StatedChange
]


@Sweep(("service", "tool"), CHANGING, ids=NAMES, every=3, start=2)
async def test_each_change_says_how_it_is_undone(service: Service, tool: Tool) -> None:
    if tool.name in NOT_REHEARSED:
        pytest.skip("A golden case cannot say from where a file comes.")
    shown = [one for case in service.cases_of(tool) async for one in _previewed(service, case)]
    assert shown
    for preview in shown:
        check(preview)
    is_one_call = any(preview.can_be_undone for preview in shown)
    assert not is_one_call or tool.name in SENT, "a test sends the call, and finds all as before"


async def _previewed(service: Service, case: Case) -> AsyncIterator[Preview]:
    async with rehearsing(service, case) as play:
        shown = await play.shown()
        if not isinstance(shown, str):
            yield shown.preview


@pytest.mark.parametrize("tool", TOLD_BY_ARGUMENTS, ids=lambda tool: tool.name)
def test_what_shows_only_its_arguments_says_it_too(tool: Tool) -> None:
    assert tool.undo is not UNSAID


def test_every_preview_says_it_where_it_is_made() -> None:
    silent = [place for file in _sources() for place in _silent_in(file, file.read_text(encoding="utf-8"))]
    assert [place for place in silent if not place.startswith(DRY_RUN)] == []


def _sources() -> Iterator[Path]:
    for room in ("tools", "extensions", "mcp_server"):
        yield from sorted((ROOT / room).rglob("*.py"))


def _silent_in(file: Path, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)) if "Preview(" in source else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Preview":
            names = {keyword.arg for keyword in node.keywords}
            if not names & {"undo", None}:
                yield f"{file.relative_to(ROOT)}:{node.lineno}"
