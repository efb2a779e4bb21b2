"""A tool outside the view can be neither listed, learned nor called."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity.door import OPEN_DOOR
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.declarations.toolset import Access
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import Caller, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.office import TOOLSETS
from tests.mcp_server.sign_in_by_header import office_door
from tests.sweeps import examples

TOOLS = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
OWNERS = {tool.name: toolset.name for toolset in TOOLSETS for tool in toolset.tools}
ARGUMENTS = {"words": "x", "text": "allowed", "token": "x", "room": "hall"}

toolset_names = st.lists(st.sampled_from([toolset.name for toolset in TOOLSETS] + ["all", "office"]), min_size=1)
WAYS = {"azure", "azure_change"}
tool_names = st.lists(st.sampled_from([*TOOLS, *sorted(WAYS)]), min_size=1)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


# How far each role and scope goes in the office, said here once more and in another way than in the roles file.
OPENED: dict[str, dict[str, Access]] = {
    "": {"clock": Access.READ},
    "Visitor": {"office-notes": Access.READ, "office-doors": Access.READ},
    "Clerk": {"office-notes": Access.WRITE, "office-doors": Access.WRITE},
    "Janitor": dict.fromkeys(("office-notes", "office-doors", "clock"), Access.DESTROY),
    "Usher": {"office-notes": Access.READ, "office-doors": Access.READ},
    "Bricklayer": {},
    "write-notes": {"office-notes": Access.WRITE},
    "Unheard-of": {},
}
# And the tools with which it is otherwise.
EXCEPTIONS: dict[str, dict[str, int]] = {"Usher": {"break_pencil": 0}, "Bricklayer": {"brick_up_door": Access.DESTROY}}
people = st.none() | st.tuples(
    st.lists(
        st.sampled_from(["Visitor", "Clerk", "Usher", "Bricklayer", "Janitor", "Unheard-of"]), unique=True, max_size=3
    ),
    st.booleans(),
)


def allowed(person: tuple[list[str], bool] | None) -> set[str]:
    if person is None:
        return set(TOOLS)
    held = ["", *person[0], *["write-notes"] * person[1]]
    return {name for name, tool in TOOLS.items() if any(tool.access <= level(role, name) for role in held)}


def level(role: str, tool: str) -> int:
    return EXCEPTIONS.get(role, {}).get(tool, OPENED[role].get(OWNERS[tool], 0))


@settings(max_examples=examples(200), deadline=None)
@given(
    path=st.none() | toolset_names,
    toolsets=st.none() | toolset_names,
    tools=st.none() | tool_names,
    read_only=st.booleans(),
    person=people,
)
def test_listed_learned_called_and_rest_agree_and_nothing_widens(
    loop: asyncio.Runner,
    path: list[str] | None,
    toolsets: list[str] | None,
    tools: list[str] | None,
    read_only: bool,
    person: tuple[list[str], bool] | None,
) -> None:
    headers = {"x-mcp-readonly": "true"} if read_only else {}
    headers |= {"x-mcp-toolsets": ",".join(toolsets)} if toolsets else {}
    headers |= {"x-mcp-tools": ",".join(tools)} if tools else {}
    if person:
        headers["x-who"] = f"eve {' '.join(person[0])}{'/write-notes' * person[1]}"
    chosen = ",".join(path) if path else None
    may = allowed(person)

    async def check() -> None:
        caller = Caller(new_endpoint(door=office_door() if person else OPEN_DOOR), chosen, headers)
        answer = await caller.send("tools/list")
        if answer.status in {400, 403}:
            # None of the selection is granted (403), or a part of it names what an earlier part left out (400).
            assert person or (answer.status == 400 and (tools or toolsets))
            assert [name for name in TOOLS if await _is_callable(caller, name)] == []
            return
        listed = set(await caller.tool_names())
        reached = await _reached(caller) if "azure" in listed else listed - WAYS
        reached |= {
            name for name in TOOLS if "azure_change" in listed and await _is_called(caller, name, "azure_change")
        }
        assert listed - WAYS <= reached
        assert ("azure_change" in listed) <= any(TOOLS[name].access is not Access.READ for name in reached)
        assert reached <= may
        assert not read_only or all(TOOLS[name].access is Access.READ for name in reached)
        assert not tools or set(tools) <= WAYS or reached <= set(tools)
        await _check_calls(caller, listed, reached, is_only_azure=set(tools or ()) == {"azure"})
        if path is None and "azure" in listed:
            assert await _listed_by_rest(caller) == (listed if tools else reached)

    loop.run(check())


async def _check_calls(caller: Caller, listed: set[str], reached: set[str], *, is_only_azure: bool) -> None:
    """Each tool can be called exactly where it is listed or reached."""
    for name, tool in TOOLS.items():
        assert await _is_callable(caller, name) == (name in listed)
        reads = tool.access is Access.READ
        through = {"azure": reads or is_only_azure, "azure_change": not reads}
        for way in listed & WAYS:
            assert await _is_called(caller, name, way) == (name in reached and through[way])


async def _reached(caller: Caller) -> set[str]:
    toolsets = (await caller.call("azure", learn=True))["structuredContent"]["tools"]
    learned = [await caller.call("azure", learn=True, tool=toolset["name"]) for toolset in toolsets]
    return {command["name"] for result in learned for command in result["structuredContent"]["commands"]}


async def _is_callable(caller: Caller, name: str) -> bool:
    answer = await caller.send("tools/call", {"name": name, "arguments": _arguments(name)})
    return "result" in json.loads(answer.body)


async def _is_called(caller: Caller, name: str, way: str) -> bool:
    arguments = {"tool": OWNERS[name], "command": name, "parameters": _arguments(name)}
    answer = await caller.send("tools/call", {"name": way, "arguments": arguments})
    result = json.loads(answer.body).get("result")
    return answer.status == 200 and (not result["isError"] or is_told(result["content"][0]["text"]))


async def _listed_by_rest(caller: Caller) -> set[str]:
    answer = await rest.list_tools(caller.endpoint, replace(post(b""), method="GET", headers=with_host(caller.headers)))
    listed = {tool["name"] for tool in json.loads(answer.body)["tools"]}
    for name in TOOLS:
        body = json.dumps({"tool": name, "arguments": _arguments(name)}).encode()
        executed = await rest.execute(caller.endpoint, post(body, caller.headers))
        assert (executed.status not in (403, 404)) == (name in listed)
    return listed


def with_host(headers: Mapping[str, str]) -> dict[str, str]:
    return {"host": "localhost:7071", **headers}


def _arguments(name: str) -> dict[str, str]:
    schema = TOOLS[name].input_schema
    return {key: ARGUMENTS[key] for key in schema.get("required", [])}


def is_told(text: str) -> bool:
    """Whether the tool was found, and went wrong, or asked for somebody's agreement."""
    return "Incident" in text or "Nothing was done yet" in text


@pytest.mark.parametrize(
    ("toolsets", "headers", "told"),
    [
        ("nope", {}, "Unknown toolset 'nope'. Valid: all, office-notes, office-doors, clock."),
        ("clocks", {}, "Did you mean 'clock'?"),
        (",", {}, "The address is empty."),
        (None, {"x-mcp-toolsets": "clock,nope"}, "Unknown toolset 'nope'."),
        ("clock", {"x-mcp-toolsets": "office"}, "Unknown toolset 'office'. Valid: all, clock."),
        (
            None,
            {"x-mcp-tools": "what_tim"},
            "Unknown tool 'what_tim'. Did you mean 'what_time'? Valid: azure, azure_change, find_notes,",
        ),
        (None, {"x-mcp-toolsets": ", ,"}, "X-MCP-Toolsets is empty."),
        (None, {"x-mcp-tools": ""}, "X-MCP-Tools is empty."),
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


async def test_what_depends_on_the_caller_is_kept_by_nobody_else(endpoint: Endpoint) -> None:
    everybodys = await Caller(endpoint).result("tools/list")
    eves = await Caller(new_endpoint(door=office_door()), headers={"x-who": "eve Clerk"}).result("tools/list")
    assert (everybodys["cacheScope"], eves["cacheScope"]) == ("public", "private")


async def test_a_wrong_name_is_answered_with_what_is_granted_only() -> None:
    endpoint = new_endpoint(door=office_door())
    for headers in ({"x-mcp-tools": "zzz"}, {"x-mcp-toolsets": "zzz"}):
        message = (await Caller(endpoint, headers={"x-who": "eve", **headers}).error("tools/list"))["message"]
        assert "brick_up_door" not in message
        assert "office" not in message


@pytest.mark.parametrize("role", [role for role in OPENED if role])
async def test_all_that_a_role_opens_is_reached(role: str) -> None:
    who = "eve /write-notes" if role == "write-notes" else f"eve {role}"
    assert await _reached(Caller(new_endpoint(door=office_door()), headers={"x-who": who})) == allowed(
        ([], True) if role == "write-notes" else ([role], False)
    )


async def test_who_may_call_single_tools_gets_no_prompt_and_no_resource_of_their_toolset() -> None:
    roles = (
        "roles: {Finder: {office-notes/find_notes: read}, Reader: {office-notes: read, office-notes/find_notes: none}}"
    )
    endpoint = new_endpoint(door=office_door(roles))
    seen = {}
    for role in ("Finder", "Reader"):
        caller = Caller(endpoint, "all", {"x-who": f"eve {role}"})
        prompts, resources = [await caller.result(f"{kind}/list") for kind in ("prompts", "resources")]
        seen[role] = (await caller.tool_names(), bool(prompts["prompts"]), bool(resources["resources"]))
    assert seen["Finder"] == (["find_notes"], False, False)
    assert seen["Reader"] == (["break_pencil"], True, True)


async def test_a_further_name_goes_with_the_tool_that_is_named() -> None:
    endpoint = new_endpoint(door=office_door("roles: {Finder: {office-notes: write, office-notes/write_note: read}}"))
    told = await Caller(endpoint, "all", {"x-who": "eve Finder"}).error("tools/call", {"name": "write_note"})
    assert told["message"].startswith("Unknown tool: 'write_note'.")


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
