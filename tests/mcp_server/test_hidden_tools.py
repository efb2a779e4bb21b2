"""What a caller may not do answers as what is not there, in every way in which it can be asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity.access import Access
from mcp_server.catalog.narrowing import narrowed
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer
from tests.mcp_server.caller import Caller, Json, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.office import TOOLSETS
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door
from tests.sweeps import examples

ROLES = (
    "signed-in: {clock: read}\n"
    "roles: {Visitor: {office: read}, Clerk: {office: write}, Usher: {office: read, office-notes/break_pencil: none}}"
)
NAMES = [toolset.name for toolset in TOOLSETS]
TOOLS = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
MOST = {"Visitor": Access.READ, "Clerk": Access.WRITE, "Usher": Access.READ}
BUT = {("Usher", "break_pencil")}

roles = st.sampled_from(["Visitor", "Clerk", "Usher", "Unheard-of"])
tool_names = st.sampled_from(
    [*TOOLS, *(tool.qualified_name for tool in TOOLS.values()), "azure", "azure_change", "no_such_tool"]
)
toolset_names = st.sampled_from([*NAMES, "office", "all", "no-such-toolset"])
several_tools = st.lists(tool_names, min_size=1, max_size=3)
several_toolsets = st.lists(toolset_names, min_size=1, max_size=3)
requests: st.SearchStrategy[tuple[str, Json]] = st.one_of(
    st.tuples(st.just("tools/call"), st.builds(lambda name: {"name": name, "arguments": {}}, tool_names)),
    st.builds(
        lambda way, tool, command, learn: (
            "tools/call",
            {"name": way, "arguments": {"tool": tool, "command": command, "parameters": {}, "learn": learn}},
        ),
        st.sampled_from(["azure", "azure_change"]),
        toolset_names,
        tool_names,
        st.booleans(),
    ),
    st.sampled_from([("tools/list", {}), ("prompts/list", {}), ("resources/list", {})]),
    st.just(("resources/read", {"uri": "desk://inventory"})),
    st.just(("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "left"}})),
)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def left_to(role: str) -> Sequence[Toolset]:
    """The office as it would be if it had nothing but what this role opens."""
    opened = [toolset for toolset in TOOLSETS if toolset.name == "clock" or role in MOST]
    return narrowed(opened, lambda tool: tool.access <= MOST.get(role, Access.READ) and (role, tool.name) not in BUT)


def someone(role: str, toolsets: Sequence[Toolset], path: str | None, headers: dict[str, str]) -> Caller:
    # The roles file names the same toolsets either way.
    endpoint = new_endpoint(toolsets=toolsets, door=office_door(ROLES, NAMES))
    return Caller(endpoint, path, {"x-who": f"eve {role}", **headers})


@settings(max_examples=examples(100), deadline=None)
@given(
    role=roles,
    request=requests,
    path=st.none() | several_toolsets,
    chosen=st.none() | several_tools,
    toolsets=st.none() | several_toolsets,
)
def test_no_answer_tells_what_is_hidden_from_what_is_not_there(
    loop: asyncio.Runner,
    role: str,
    request: tuple[str, Json],
    path: list[str] | None,
    chosen: list[str] | None,
    toolsets: list[str] | None,
) -> None:
    headers = {"x-mcp-tools": ",".join(chosen)} if chosen else {}
    headers |= {"x-mcp-toolsets": ",".join(toolsets)} if toolsets else {}

    async def answer(office: Sequence[Toolset]) -> HttpAnswer:
        return await someone(role, office, ",".join(path) if path else None, headers).send(*request)

    assert loop.run(answer(TOOLSETS)) == loop.run(answer(left_to(role)))


@pytest.mark.parametrize("name", ["brick_up_door", "no_such_tool"])
async def test_rest_answers_both_alike(name: str) -> None:
    body = json.dumps({"tool": name, "arguments": {"room": "attic"}}).encode()
    endpoint = someone("Visitor", TOOLSETS, None, {}).endpoint
    answer = await rest.execute(endpoint, post(body, {"x-who": "eve Visitor"}))
    assert (answer.status, json.loads(answer.body)["detail"].partition(".")[0]) == (404, f"Unknown tool: '{name}'")


async def test_whoever_has_not_signed_in_is_told_to_for_both() -> None:
    endpoint = new_endpoint(door=office_door())
    for name in ("brick_up_door", "no_such_tool"):
        answer = await Caller(endpoint).send("tools/call", {"name": name, "arguments": {}})
        assert (answer.status, json.loads(answer.body)["error"]["message"]) == (401, "Say who you are.")


async def test_who_can_ask_for_a_scope_is_told_which(records: Records) -> None:
    caller = Caller(new_endpoint(door=office_door()), "all", {"x-who": "eve"})
    answer = await caller.send("tools/call", {"name": "write_note", "arguments": {}})
    assert (answer.status, records.only["outcome"]) == (403, "denied")
    assert 'scope="api://office/write-notes"' in answer.headers["www-authenticate"]


async def test_an_application_is_not_told_of_scopes_which_only_people_are_given(records: Records) -> None:
    headers = {"x-who": "robot", "x-kind": "app"}
    caller = Caller(new_endpoint(door=office_door()), "all", headers)
    told = await caller.error("tools/call", {"name": "write_note", "arguments": {}})
    assert told["message"].startswith("Unknown tool: 'write_note'.")
    assert records.only["outcome"] == "denied"


@pytest.mark.parametrize("chosen", ["azure,brick_up_door", "azure,no_such_tool"])
async def test_who_chose_what_is_not_there_beside_azure_is_not_given_everything(chosen: str) -> None:
    answer = await someone("Visitor", TOOLSETS, None, {"x-mcp-tools": chosen}).send("tools/list")
    assert answer.status == 400


async def test_of_names_that_people_share_those_that_are_closed_to_one_are_left_out() -> None:
    caller = someone("Visitor", TOOLSETS, None, {"x-mcp-tools": "brick_up_door,no_such_tool,find_notes"})
    assert await caller.tool_names() == ["find_notes"]
