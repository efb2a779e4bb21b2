"""What must hold for every tool this server offers, and the published form of each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from identity.access import Access
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.declarations.function_tool import ChangeTool
from mcp_server.declarations.tool import Tool
from mcp_server.view import View
from tests.tools.everything import EVERYTHING
from tools import INSTRUCTIONS, SURFACE, TOOLSETS

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"
CATALOG = Catalog(TOOLSETS, SURFACE)
WAYS = [CATALOG.view(Selection()).tools[name] for name in ("azure", "azure_change")]
TOOLS = [*CATALOG.view(Selection(path=("all",)), EVERYTHING).tools.values(), *WAYS]
SURFACE_TOKENS, TOOL_TOKENS = 1250, 300
# What is required of these is never cut to save tokens.
MORE_TOKENS = {"firewall": 370}

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def published(tool: Tool) -> dict[str, Any]:
    return tool.published


def tokens(view: View) -> float:
    documents = [published(tool) for tool in view.tools.values()]
    return len(json.dumps({"tools": documents}, separators=(",", ":")).encode()) / 4


@every_tool
def test_the_published_form_is_the_one_that_was_agreed(tool: Tool) -> None:
    text = json.dumps(published(tool) | {"access": tool.access.label}, indent=2, sort_keys=True) + "\n"
    snapshot = SNAPSHOTS / f"{tool.name}.json"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, encoding="utf-8")
    mend = f"{tool.name}: run UPDATE_SNAPSHOTS=1 scripts/test unit -k agreed, and review what it wrote"
    assert snapshot.exists(), mend
    assert snapshot.read_text(encoding="utf-8") == text, mend


def test_whatever_changes_something_is_one_function_that_returns_its_change() -> None:
    """So nothing is said or read twice: what is previewed is the very object that is applied."""
    changing = [tool for tool in TOOLS if tool.own_access is not Access.READ and tool not in WAYS]
    assert [tool.name for tool in changing if not isinstance(tool, ChangeTool) or tool.previewed] == []


def test_no_snapshot_outlives_its_tool() -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.json")} == {tool.name for tool in TOOLS}


def test_names_are_unique() -> None:
    names = [tool.name for tool in TOOLS]
    assert len(names) == len(set(names))


def test_the_surface_names_tools_that_exist() -> None:
    assert {tool.name for tool in TOOLS} >= SURFACE


@every_tool
def test_a_name_works_in_every_client(tool: Tool) -> None:
    form = "[a-z][a-z0-9_]{0,63}"
    assert re.fullmatch(form, tool.name), f"rename the function {tool.name}: a name has the form {form}"


@every_tool
def test_a_tool_says_what_it_does_and_describes_every_parameter(tool: Tool) -> None:
    assert tool.first_sentence.endswith("."), f"{tool.name}: its docstring has to begin with a sentence"
    parameters = tool.input_schema["properties"].items()
    undescribed = [name for name, schema in parameters if not schema.get("description")]
    assert undescribed == [], f"{tool.name}: give {undescribed} Annotated[..., Field(description=...)]"


@every_tool
def test_schemas_are_plain_objects(tool: Tool) -> None:
    assert tool.input_schema["type"] == "object"
    combined = {"anyOf", "oneOf", "allOf", "$ref"} & tool.input_schema.keys()
    assert not combined, f"{tool.name}: clients refuse {combined} at the top of a schema; take one object"


@every_tool
def test_a_list_has_a_longest_length(tool: Tool) -> None:
    unbounded = list(_unbounded_lists(tool.input_schema))
    assert unbounded == [], f"{tool.name}: give these lists Field(max_length=...)"


def _unbounded_lists(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        if schema.get("type") == "array" and "maxItems" not in schema:
            yield schema
        for inner in schema.values():
            yield from _unbounded_lists(inner)


@pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.name)
def test_a_toolset_has_one_line_and_a_modest_size(toolset: Any) -> None:
    assert toolset.description.endswith(".")
    assert "\n" not in toolset.description
    view = CATALOG.view(Selection(path=(toolset.name,)))
    each = tokens(view) / len(view.tools)
    most = MORE_TOKENS.get(toolset.name, TOOL_TOKENS)
    assert each <= most, f"{toolset.name}: {each:.0f} tokens a tool; shorten its descriptions to {most}"


def test_the_default_surface_leaves_room_for_the_work() -> None:
    assert tokens(CATALOG.view(Selection())) <= SURFACE_TOKENS


def test_instructions_are_short() -> None:
    assert len(INSTRUCTIONS) < 600
