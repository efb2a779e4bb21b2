"""The outlines of tools: they tell of each what its declaration says, and nothing else is needed to list and find."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_server.catalog.gateway import gateway_tool
from mcp_server.catalog.gateway_tools import DECLARED
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from scripts import outlines
from tools import SURFACE, TOOLSETS
from tools.outlined import OUTLINED

ROOT = Path(__file__).parents[2]
PAIRS = list(zip(TOOLSETS, OUTLINED, strict=True))
LISTED_BY = """
import asyncio, json, sys
import azure.functions as func
import function_app
from types import SimpleNamespace as Given

body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
headers = {"host": "localhost:7071", "content-type": "application/json", "accept": "application/json"}
request = func.HttpRequest("POST", "http://localhost:7071/mcp", headers=headers, body=body)
given = Given(invocation_id="1", trace_context=Given(trace_parent=""))
answer = asyncio.run(function_app.mcp.build().get_user_function()(request, given))
tools = [tool["name"] for tool in json.loads(answer.get_body())["result"]["tools"]]
print(json.dumps({"tools": tools, "modules": [*sys.modules]}))
"""


def told(tool: Tool) -> dict[str, Any]:
    """All that is asked of a tool before it is called."""
    return {
        "published": tool.published,
        "access": (tool.access, tool.own_access, tool.may_destroy, tool.reads_secret, tool.is_many, tool.asks_later),
        "names": (tool.name, tool.qualified_name, [one.name for one in tool.further_names], [*tool.parameter_names]),
        "words": (tool.own_words, tool.first_sentence, [one.description for one in tool.further_names]),
        "marks": (sorted(tool.harmless), sorted(tool.secret), tool.seconds, tool.gives_secret),
    }


@pytest.mark.parametrize("path", outlines.files())
def test_they_tell_what_is_declared(path: str) -> None:
    written = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).exists() else ""
    assert written == outlines.files()[path], "run scripts/docs"


@pytest.mark.parametrize(("declared", "outlined"), PAIRS, ids=[toolset.name for toolset in TOOLSETS])
def test_a_tool_is_the_same_by_its_outline(declared: Toolset, outlined: Toolset) -> None:
    assert [told(tool) for tool in outlined.tools] == [told(tool) for tool in declared.tools]
    assert [prompt.published for prompt in outlined.prompts] == [prompt.published for prompt in declared.prompts]
    assert [one.published for one in outlined.resources] == [one.published for one in declared.resources]
    assert {*outlined.completers} == {*declared.completers}


@pytest.mark.parametrize("name", DECLARED)
def test_so_are_the_two_that_find_all_others(name: str) -> None:
    assert gateway_tool(name).own_schema == DECLARED[name].own_schema
    assert gateway_tool(name).words == DECLARED[name].description


def test_listing_imports_no_tool() -> None:
    """Nor what checks arguments, which takes a good part of a start."""
    ran = subprocess.run([sys.executable, "-c", LISTED_BY], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = json.loads(ran.stdout.splitlines()[-1])
    assert {*listed["tools"]} >= SURFACE
    imported = {name for name in listed["modules"] if name.startswith("tools.") and name.endswith(".tools")}
    assert imported | {"pydantic", "pydantic_core", "mcp"} & {*listed["modules"]} == set()
