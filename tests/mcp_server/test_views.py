"""A tool outside the view can be neither listed, learned nor called."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_server.catalog import Catalog, Selection
from mcp_server.endpoint import Endpoint
from mcp_server.toolset import Access
from tests.mcp_server.caller import Caller
from tests.mcp_server.conftest import new_endpoint
from tests.mcp_server.office import TOOLSETS

TOOLS = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
OWNERS = {tool.name: toolset.name for toolset in TOOLSETS for tool in toolset.tools}
ARGUMENTS = {"words": "x", "text": "allowed", "token": "x", "room": "hall"}

toolset_names = st.lists(st.sampled_from([toolset.name for toolset in TOOLSETS] + ["all", "office"]), min_size=1)
tool_names = st.lists(st.sampled_from([*TOOLS, "azure"]), min_size=1)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@settings(max_examples=150, deadline=None)
@given(
    path=st.none() | toolset_names,
    toolsets=st.none() | toolset_names,
    tools=st.none() | tool_names,
    read_only=st.booleans(),
)
def test_listed_learned_and_called_agree_and_no_selection_widens(
    loop: asyncio.Runner,
    path: list[str] | None,
    toolsets: list[str] | None,
    tools: list[str] | None,
    read_only: bool,
) -> None:
    headers = {"x-mcp-readonly": "true"} if read_only else {}
    headers |= {"x-mcp-toolsets": ",".join(toolsets)} if toolsets else {}
    headers |= {"x-mcp-tools": ",".join(tools)} if tools else {}
    chosen = ",".join(path) if path else None

    async def check() -> None:
        caller = Caller(new_endpoint(), chosen, headers)
        answer = await caller.send("tools/list")
        if answer.status == 400:
            assert tools or toolsets  # what an earlier part left out cannot be named by a later one
            return
        listed = set(await caller.tool_names())
        reached = await _reached(caller) if "azure" in listed else listed
        assert listed - {"azure"} <= reached
        assert not read_only or all(TOOLS[name].access is Access.READ for name in reached)
        assert not tools or set(tools) == {"azure"} or reached <= set(tools)
        for name in TOOLS:
            assert await _is_callable(caller, name) == (name in listed)
            if "azure" in listed:
                assert await _is_callable_through_azure(caller, name) == (name in reached)

    loop.run(check())


async def _reached(caller: Caller) -> set[str]:
    toolsets = (await caller.call("azure", learn=True))["structuredContent"]["tools"]
    learned = [await caller.call("azure", learn=True, tool=toolset["name"]) for toolset in toolsets]
    return {command["name"] for result in learned for command in result["structuredContent"]["commands"]}


async def _is_callable(caller: Caller, name: str) -> bool:
    arguments = {key: ARGUMENTS[key] for key in TOOLS[name].input_schema.get("required", [])}
    answer = await caller.send("tools/call", {"name": name, "arguments": arguments})
    return answer.status == 200


async def _is_callable_through_azure(caller: Caller, name: str) -> bool:
    arguments = {key: ARGUMENTS[key] for key in TOOLS[name].input_schema.get("required", [])}
    result = await caller.call("azure", tool=OWNERS[name], command=name, parameters=arguments)
    return not result["isError"] or "Incident" in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("toolsets", "headers", "told"),
    [
        ("nope", {}, "Unknown toolset 'nope'. Valid: all, office-notes, office-doors, clock."),
        ("clocks", {}, "Did you mean 'clock'?"),
        (",", {}, "The address names nothing."),
        (None, {"x-mcp-toolsets": "clock,nope"}, "Unknown toolset 'nope'."),
        ("clock", {"x-mcp-toolsets": "office"}, "Unknown toolset 'office'. Valid: all, clock."),
        (
            None,
            {"x-mcp-tools": "what_tim"},
            "Unknown tool 'what_tim'. Did you mean 'what_time'? Valid: azure, find_notes,",
        ),
        (None, {"x-mcp-toolsets": ", ,"}, "X-MCP-Toolsets names nothing."),
        (None, {"x-mcp-tools": ""}, "X-MCP-Tools names nothing."),
        (None, {"x-mcp-tools": "write_note", "x-mcp-readonly": "true"}, "Unknown tool 'write_note'."),
        (None, {"x-mcp-readonly": ""}, "X-MCP-Readonly must be true or false."),
        (None, {"x-mcp-readonly": "maybe"}, "X-MCP-Readonly must be true or false."),
        (None, {"x-mcp-tools": "x" * 9000}, "longer than 8192 characters"),
    ],
)
async def test_a_name_that_is_not_there_is_refused_with_those_that_are(
    endpoint: Endpoint, toolsets: str | None, headers: dict[str, str], told: str
) -> None:
    caller = Caller(endpoint, toolsets, headers)
    assert (await caller.send("tools/list")).status == 400
    assert told in (await caller.error("tools/list"))["message"]


async def test_a_tool_named_in_a_header_is_listed_although_it_is_not_on_the_surface(endpoint: Endpoint) -> None:
    assert await Caller(endpoint, headers={"x-mcp-tools": "what_time"}).tool_names() == ["what_time"]


async def test_azure_named_alone_keeps_its_reach(endpoint: Endpoint) -> None:
    caller = Caller(endpoint, headers={"x-mcp-tools": "azure"})
    assert await caller.tool_names() == ["azure"]
    assert await _reached(caller) == set(TOOLS)


async def test_prompts_and_resources_go_with_their_toolset(endpoint: Endpoint) -> None:
    caller = Caller(endpoint, "clock")
    assert (await caller.result("prompts/list"))["prompts"] == []
    assert (await caller.result("resources/list"))["resources"] == []
    assert (await caller.error("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "left"}}))["code"] == -32602
    assert (await caller.error("resources/read", {"uri": "desk://inventory"}))["code"] == -32602


def test_ever_new_selections_do_not_pile_up() -> None:
    catalog = Catalog(TOOLSETS, ())
    for size in range(1, len(TOOLS)):
        for names in itertools.combinations(TOOLS, size):
            catalog.view(Selection(tools=names))
            catalog.view(Selection(path=("all",), tools=names))
    assert catalog.view.cache_info().currsize <= 32
