"""Two tools reach all others: `azure` reads, `azure_change` changes, and neither does what the other is for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changes.preview import Preview
from changes.rules import Rules
from identity.access import Access
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import ERAS, Caller, Era, Json, message, post
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.office import SECRET, TOOLSETS
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door
from tests.sweeps import examples

NOTE: Final[Json] = {"tool": "office-notes", "command": "write_note", "parameters": {"text": "allowed"}}
TIME: Final[Json] = {"tool": "clock", "command": "what_time", "parameters": {}}
# What is listed, as the most that can be done through each.
READS, WRITES, DESTROYS = (True, False), (False, False), (False, True)


def chosen(endpoint: Endpoint, tools: str, era: Era = ERAS[0]) -> Caller:
    return Caller(endpoint, headers={"x-mcp-tools": tools}, era=era)


async def ways(caller: Caller) -> dict[str, tuple[bool, bool]]:
    """How each of the two that is listed is annotated."""
    tools = (await caller.result("tools/list"))["tools"]
    return {
        tool["name"]: (tool["annotations"]["readOnlyHint"], tool["annotations"]["destructiveHint"])
        for tool in tools
        if tool["name"].startswith("azure")
    }


def next_in(told: str) -> Json:
    """The call that an answer proposes."""
    return json.loads(told.partition(" Next: ")[2])


@pytest.mark.parametrize(
    ("headers", "listed"),
    [
        ({}, {"azure": READS, "azure_change": DESTROYS}),
        ({"x-mcp-readonly": "true"}, {"azure": READS}),
        ({"x-mcp-tools": "azure"}, {"azure": DESTROYS}),
        ({"x-mcp-tools": "azure", "x-mcp-toolsets": "office-notes"}, {"azure": WRITES}),
        ({"x-mcp-tools": "azure", "x-mcp-readonly": "true"}, {"azure": READS}),
        ({"x-mcp-tools": "azure,azure_change"}, {"azure": READS, "azure_change": DESTROYS}),
        ({"x-mcp-tools": "azure,azure_change", "x-mcp-readonly": "true"}, {"azure": READS}),
        ({"x-mcp-tools": "azure,azure_change,write_note"}, {"azure": READS, "azure_change": WRITES}),
        ({"x-mcp-tools": "azure,azure_change,what_time"}, {"azure": READS}),
        ({"x-mcp-tools": "azure,write_note"}, {"azure": READS}),
        ({"x-mcp-tools": "azure_change"}, {"azure_change": DESTROYS}),
        ({"x-mcp-tools": "azure_change,write_note"}, {"azure_change": WRITES}),
        ({"x-mcp-tools": "write_note"}, {}),
        ({"x-mcp-toolsets": "all"}, {}),
    ],
)
async def test_each_is_announced_by_the_most_that_is_done_through_it(
    endpoint: Endpoint, era: Era, headers: dict[str, str], listed: dict[str, tuple[bool, bool]]
) -> None:
    assert await ways(Caller(endpoint, headers=headers, era=era)) == listed


async def test_who_may_only_read_is_not_shown_the_one_that_changes() -> None:
    endpoint = new_endpoint(door=office_door())
    for role, listed in (("Visitor", ["azure"]), ("Clerk", ["azure", "azure_change"])):
        assert list(await ways(Caller(endpoint, headers={"x-who": f"eve {role}"}))) == listed
    told = await Caller(endpoint, headers={"x-who": "eve Visitor"}).error("tools/call", {"name": "azure_change"})
    assert told["message"].startswith("Unknown tool: 'azure_change'.")


async def test_the_one_that_changes_cannot_be_chosen_alone_where_nothing_changes(endpoint: Endpoint) -> None:
    caller = Caller(endpoint, headers={"x-mcp-tools": "azure_change", "x-mcp-readonly": "true"})
    told = (await caller.error("tools/list"))["message"]
    assert told == "'azure_change' is not available: no available tool changes anything."


async def test_clients_that_hide_tools_are_told_to_show_these_two(everything: Caller, caller: Caller) -> None:
    for listed in (caller, everything):
        tools = (await listed.result("tools/list"))["tools"]
        kept = [tool["name"] for tool in tools if tool.get("_meta", {}).get("anthropic/alwaysLoad")]
        assert kept == [tool["name"] for tool in tools if tool["name"].startswith("azure")]


async def test_the_one_that_changes_takes_what_a_call_needs(caller: Caller) -> None:
    (schema,) = [
        tool["inputSchema"] for tool in (await caller.result("tools/list"))["tools"] if tool["name"] == "azure_change"
    ]
    assert list(schema["properties"]) == ["tool", "command", "parameters", "select"]
    assert schema["required"] == ["tool", "command"]


@pytest.mark.parametrize(
    ("wrong", "right", "call", "does"),
    [
        ("azure", "azure_change", NOTE, "changes something"),
        ("azure_change", "azure", TIME, "only reads"),
    ],
)
async def test_a_call_at_the_wrong_one_is_answered_with_the_right_one_and_does_nothing(
    caller: Caller, era: Era, records: Records, wrong: str, right: str, call: Json, does: str
) -> None:
    caller = Caller(caller.endpoint, era=era)
    told = await caller.told(wrong, **call)
    assert told.startswith(
        f"'{call['command']}' {does}, so it cannot be called through '{wrong}'. Nothing was changed. Next: "
    )
    assert next_in(told) == {"call": right, "arguments": call}
    assert (records.all[-1]["tool"], records.only["outcome"]) == (wrong, "refused")
    assert not (await caller.call(next_in(told)["call"], **next_in(told)["arguments"]))["isError"]
    assert (records.all[-1]["tool"], records.only["way"]) == (call["command"], "learned")


async def test_what_is_kept_of_an_answer_is_a_part_of_the_right_call(caller: Caller) -> None:
    call = {**NOTE, "select": "id"}
    right = next_in(await caller.told("azure", **call))
    assert right == {"call": "azure_change", "arguments": call}
    assert (await caller.call(right["call"], **right["arguments"]))["structuredContent"] == {"result": 1}


async def test_a_tool_that_is_listed_is_the_right_call_itself(endpoint: Endpoint, caller: Caller) -> None:
    listed = {"call": "write_note", "arguments": {"text": "allowed"}}
    assert next_in(await chosen(endpoint, "azure,write_note").told("azure", **NOTE)) == listed
    notes = {"tool": "office-notes", "command": "find_notes", "parameters": {"words": "tea"}}
    assert next_in(await caller.told("azure_change", **notes)) == {"call": "find_notes", "arguments": {"words": "tea"}}
    part = {**notes, "select": "result[].id"}
    assert next_in(await caller.told("azure_change", **part)) == {"call": "azure", "arguments": part}


@pytest.mark.parametrize("text", [SECRET.upper(), 7, "a" * 3000])
async def test_of_parameters_that_are_not_valid_or_long_only_the_names_are_told(caller: Caller, text: Json) -> None:
    told = await caller.told("azure", **{**NOTE, "parameters": {"text": text, "folder": None}})
    assert next_in(told)["arguments"] == {**NOTE, "parameters": {"text": "<text>"}}
    told = await caller.told("azure", **{**NOTE, "parameters": {"text": "allowed", "txet": SECRET}})
    assert SECRET not in told


async def test_alone_azure_does_everything(endpoint: Endpoint, era: Era) -> None:
    alone = chosen(endpoint, "azure", era)
    assert (await alone.call("azure", **NOTE))["structuredContent"] == {"id": 1, "text": "allowed"}
    assert (await alone.call("azure", **TIME))["structuredContent"] == {"hour": 9}
    explained = (await alone.call("azure", learn=True, tool="office-notes", command="write_note"))["structuredContent"]
    assert explained["next"] == {**NOTE, "parameters": {"text": "<text>"}}
    (azure,) = (await alone.result("tools/list"))["tools"]
    assert "azure_change" not in azure["description"]


async def test_alone_the_one_that_changes_says_what_it_reaches_and_reads_nothing(endpoint: Endpoint) -> None:
    alone = chosen(endpoint, "azure_change")
    (listed,) = (await alone.result("tools/list"))["tools"]
    assert listed["description"].endswith("Tools: office-notes, office-doors, clock.")
    assert (await alone.call("azure_change", **NOTE))["structuredContent"] == {"id": 1, "text": "allowed"}
    assert (await alone.told("azure_change", **TIME)).endswith("The call requires 'azure', which was not selected.")
    told = await alone.told("azure_change", tool="office-doors", command="zzz")
    assert told == "The tool 'office-doors' has no command 'zzz'. Its commands are brick_up_door, open_door."
    assert "unknown parameter" in await alone.told("azure_change", learn=True)


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ({"learn": True}, {"learn": True}),
        ({"learn": True, "tool": "clock"}, {"learn": True, "tool": "clock"}),
        ({"learn": True, **NOTE}, {"learn": True, "tool": "office-notes", "command": "write_note"}),
        ({"intent": "write a note"}, {"intent": "write a note"}),
    ],
)
async def test_what_is_to_be_explained_is_asked_of_the_other(caller: Caller, asked: Json, right: Json) -> None:
    told = await caller.told("azure_change", **asked)
    assert next_in(told) == {"call": "azure", "arguments": right}
    assert not (await caller.call("azure", **next_in(told)["arguments"]))["isError"]


async def test_what_is_misspelt_is_asked_of_the_other(caller: Caller) -> None:
    told = await caller.told("azure_change", tool="office-doors", command="open_dor")
    asking = {"learn": True, "tool": "office-doors", "command": "open_door"}
    assert next_in(told) == {"call": "azure", "arguments": asking}


async def test_a_tool_that_is_called_by_its_name_and_not_listed_is_answered_with_its_call(
    endpoint: Endpoint, caller: Caller
) -> None:
    for call, right in ((NOTE, "azure_change"), (TIME, "azure")):
        params = {"name": call["command"], "arguments": call["parameters"]}
        told = (await caller.error("tools/call", params))["message"]
        assert told.startswith(f"Unknown tool: '{call['command']}'. ")
        assert next_in(told) == {"call": right, "arguments": call}
        assert not (await caller.call(right, **next_in(told)["arguments"]))["isError"]
    readonly = Caller(endpoint, headers={"x-mcp-readonly": "true"})
    assert "Next" not in (await readonly.error("tools/call", {"name": "write_note", "arguments": {}}))["message"]


async def test_over_plain_http_it_is_the_same(endpoint: Endpoint) -> None:
    headers = {"x-mcp-tools": "azure,azure_change"}

    async def executed(tool: str) -> tuple[int, Json]:
        body = json.dumps({"tool": tool, "arguments": NOTE}).encode()
        answer = await rest.execute(endpoint, post(body, headers))
        return answer.status, json.loads(answer.body)

    assert await executed("azure_change") == (200, {"result": {"id": 1, "text": "allowed"}})
    status, refused = await executed("azure")
    assert (status, next_in(refused["detail"])) == (422, {"call": "azure_change", "arguments": NOTE})


async def test_who_lacks_a_scope_is_told_so_at_either(records: Records) -> None:
    endpoint = new_endpoint(door=office_door())
    for way in ("azure", "azure_change"):
        answer = await Caller(endpoint, headers={"x-who": "eve"}).send("tools/call", {"name": way, "arguments": NOTE})
        assert (answer.status, records.all[-1]["tool"], records.only["outcome"]) == (403, "write_note", "denied")
        assert 'scope="api://office/write-notes"' in answer.headers["www-authenticate"]


async def test_who_may_change_nothing_is_not_told_what_there_is_to_change() -> None:
    endpoint = new_endpoint(door=office_door())
    visitor = Caller(endpoint, headers={"x-who": "eve Visitor"})
    for way in ("azure", "azure_change"):
        hidden, absent = [
            (
                await visitor.send(
                    "tools/call", {"name": way, "arguments": {**NOTE, "tool": "office-doors", "command": name}}
                )
            ).body.replace(name.encode(), b"")
            for name in ("open_door", "open_cave")
        ]
        assert hidden == absent


# --- whatever is called, and by whatever name


def tally(room: str = "") -> Json:
    """Tally what a stall has."""
    return {"room": room}


def sell_all(room: str = "") -> Json:
    """Sell everything."""
    return {"room": room}


done: list[str] = []
stalls = Toolset("stalls", "Sell and count, by many names.")


@stalls.tool(Access.READ, further_names=[further_name(tally)])
async def count_stall(room: str = "") -> str:
    """Count what a stall has."""
    return "counted"


@stalls.tool(Access.WRITE, further_names=[further_name(sell_all)])
async def sell_stall(room: str = "") -> str:
    """Sell what a stall has."""
    done.append("sell_stall")
    return "sold"


async def _stall(room: str = "") -> Preview:
    """What burns."""
    return Preview(what=f"The stall {room}")


@stalls.tool(Access.DESTROY, previewed=_stall)
async def burn_stall(room: str = "") -> str:
    """Burn a stall."""
    done.append("burn_stall")
    return "burnt"


EVERYTHING = (*TOOLSETS, stalls)
# What is called is done: this is about the way to a tool, and not about who agrees.
UNASKED = approving(rules=Rules(waived=[toolset.name for toolset in EVERYTHING]))
OWNERS = [toolset.name for toolset in EVERYTHING]
NAMES = [
    (toolset.name, name)
    for toolset in EVERYTHING
    for tool in toolset.tools
    for name in (tool.name, tool.qualified_name, *(further.name for further in tool.further_names))
]
ELSEWHERE = [("azure", "azure_change"), ("azure_change", "sell_stall"), ("all", "sell_stall"), ("clock", "sell_all")]
FORMS = (str, str.upper, str.title, lambda name: name.replace("_", "-"), lambda name: name.replace("-", "_"))
PARAMETERS: Final[tuple[Json, ...]] = (
    {"room": "x", "confirm": "x"},
    {"room": "x"},
    {"text": "allowed"},
    '{"room": "x"}',
    {},
    None,
)


@st.composite
def wishes(draw: st.DrawFn) -> Json:
    tool, command = draw(st.sampled_from([*NAMES, *NAMES, *ELSEWHERE]))
    beside = {
        "intent": st.sampled_from(["sell a stall", "write a note", None]),
        "learn": st.sampled_from([None, False, "false", 0]),
        "select": st.sampled_from([None, "@"]),
    }
    return draw(
        st.fixed_dictionaries(
            {
                "tool": st.sampled_from(FORMS).map(lambda form: form(tool)),
                "command": st.sampled_from(FORMS).map(lambda form: form(command)),
                "parameters": st.sampled_from(PARAMETERS),
            },
            optional=beside,
        )
    )


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@settings(max_examples=examples(200), deadline=None)
@given(
    arguments=wishes(),
    toolsets=st.none() | st.lists(st.sampled_from(OWNERS), min_size=1).map(",".join),
    beside=st.none() | st.lists(st.sampled_from([*(name for _, name in NAMES), "azure_change"]), min_size=1),
    era=st.sampled_from(ERAS),
    over_rest=st.booleans(),
)
def test_nothing_but_what_reads_is_ever_run_through_azure_unless_it_is_alone(
    loop: asyncio.Runner,
    arguments: Json,
    toolsets: str | None,
    beside: list[str] | None,
    era: Era,
    over_rest: bool,
) -> None:
    changing = {tool.name for toolset in EVERYTHING for tool in toolset.tools if tool.access is not Access.READ}
    headers = {"x-mcp-tools": ",".join(["azure", *(beside or ["azure_change"])])} if beside or toolsets else {}
    headers |= {"x-mcp-toolsets": toolsets} if toolsets else {}
    endpoint = new_endpoint(toolsets=EVERYTHING, approvals=UNASKED)
    done.clear()

    async def call() -> None:
        if over_rest and headers:
            body = json.dumps({"tool": "azure", "arguments": arguments}).encode()
            await rest.execute(endpoint, post(body, headers))
        else:
            params = {"name": "azure", "arguments": arguments}
            await endpoint.handle(message("tools/call", params, era, headers))

    with Records.kept() as records:
        loop.run(call())
    assert done == []
    assert [record for record in records.all if record.get("tool") in changing and record["outcome"] == "done"] == []
