"""The `azure` tool: finding, learning and calling everything that is not listed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import mcp_types
import pytest

from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.gateway import ways_of
from mcp_server.declarations.toolset import Part, Toolset
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server import office
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import endpoint_of, new_endpoint


async def learned(caller: Caller, **arguments: Any) -> Any:
    result = await caller.call("azure", **arguments)
    assert not result["isError"], result
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


def through(name: str, toolset: str, command: str, **parameters: str) -> dict[str, Any]:
    return {"call": name, "arguments": {"tool": toolset, "command": command, "parameters": parameters}}


async def test_it_takes_exactly_the_six_parameters(caller: Caller) -> None:
    tools = {tool["name"]: tool for tool in (await caller.result("tools/list"))["tools"]}
    parameters = ["intent", "tool", "command", "parameters", "select", "learn"]
    assert list(tools["azure"]["inputSchema"]["properties"]) == parameters


async def test_learn_alone_lists_every_toolset(caller: Caller) -> None:
    tools = (await learned(caller, learn=True))["tools"]
    assert [tool["name"] for tool in tools] == ["office-notes", "office-doors", "clock"]
    assert all(tool.keys() == {"name", "description"} for tool in tools)


async def test_learning_a_tool_shows_its_commands_as_they_would_be_listed(caller: Caller, everything: Caller) -> None:
    commands = (await learned(caller, learn=True, tool="office-doors"))["commands"]
    listed = {tool["name"]: tool for tool in (await everything.result("tools/list"))["tools"]}
    assert [command["name"] for command in commands] == ["brick_up_door", "open_door"]
    for command in commands:
        for part in ("description", "inputSchema"):
            assert command[part] == listed[command["name"]][part]
        mcp_types.Tool.model_validate(command)


async def test_learning_a_command_shows_that_one(caller: Caller) -> None:
    document = await learned(caller, learn=True, tool="office-doors", command="open_door")
    assert [command["name"] for command in document["commands"]] == ["open_door"]
    assert document["next"] == through("azure_change", "office-doors", "open_door", room="<room>")


async def test_a_command_that_is_alone_is_named_when_its_tool_is_learned(caller: Caller) -> None:
    assert (await learned(caller, learn=True, tool="clock"))["next"] == {
        "tool": "clock",
        "command": "what_time",
        "parameters": {},
    }


async def test_of_several_commands_those_that_read_and_those_that_change_are_called_through_different_tools(
    endpoint: Endpoint, caller: Caller
) -> None:
    doors = await learned(caller, learn=True, tool="office-doors")
    assert doors["next"] == through("azure_change", "office-doors", "<name>")
    notes = await learned(caller, learn=True, tool="office-notes")
    assert notes["next"] == {"tool": "office-notes", "command": "<name>", "parameters": {}}
    assert notes["nextToChange"] == through("azure_change", "office-notes", "<name>")
    alone = await learned(Caller(endpoint, headers={"x-mcp-tools": "azure"}), learn=True, tool="office-notes")
    assert (alone["next"], "nextToChange" in alone) == (notes["next"], False)
    named = Caller(endpoint, headers={"x-mcp-tools": "azure,write_note,find_notes"})
    chosen = await learned(named, learn=True, tool="office-notes")
    assert (chosen["next"], chosen["nextToChange"]) == (notes["next"], {"call": "<name>", "arguments": {}})


async def test_a_tool_that_is_alone_is_named_when_all_are_listed(endpoint: Endpoint, caller: Caller) -> None:
    assert (await learned(caller, learn=True))["next"] == {"learn": True, "tool": "<name>"}
    alone = Caller(endpoint, headers={"x-mcp-tools": "azure,what_time"})
    assert (await learned(alone, learn=True))["next"] == {"learn": True, "tool": "clock"}


async def test_a_listed_tool_is_said_to_be_callable_directly(caller: Caller) -> None:
    directly = {"call": "find_notes", "arguments": {"words": "<words>"}}
    found = await learned(caller, intent="find notes")
    assert found["next"] == directly
    assert [(match["command"], match.get("listed", False)) for match in found["matches"]] == [("find_notes", True)]
    assert "listed" not in (await learned(caller, intent="break a pencil"))["matches"][0]
    assert (await learned(caller, learn=True, tool="office-notes", command="find_notes"))["next"] == directly


async def test_a_call_gives_what_the_tool_itself_gives(caller: Caller, everything: Caller) -> None:
    parameters = {"words": "tea", "limit": 2}
    through = await caller.call("azure", tool="office-notes", command="find_notes", parameters=parameters)
    assert through == await everything.call("find_notes", **parameters)


async def test_wrong_parameters_are_told_as_the_tool_itself_tells_them(caller: Caller, everything: Caller) -> None:
    told = await caller.told("azure", tool="office-notes", command="find_notes", parameters={"limit": 0})
    assert told == await everything.told("find_notes", limit=0)


async def test_intent_finds_what_fits_and_says_what_to_send_next(caller: Caller) -> None:
    document = await learned(caller, intent="please brick up a door of the office")
    (learnt,) = (await learned(caller, learn=True, tool="office-doors", command="brick_up_door"))["commands"]
    assert document["matches"][0] == {
        "tool": "office-doors",
        "command": "brick_up_door",
        "description": "Brick up the door of a room for ever.",
        "access": "destroy",
        "inputSchema": learnt["inputSchema"],
    }
    assert document["next"] == through("azure_change", "office-doors", "brick_up_door", room="<room>")


async def test_an_intent_of_unknown_words_is_told_what_there_is(caller: Caller) -> None:
    assert await learned(caller, intent="zzz") == {
        "matches": [],
        "message": "No tool matches these words.",
        "tools": "office-notes, office-doors, clock",
        "next": {"learn": True},
    }


async def test_an_intent_that_nothing_fits_is_told_what_comes_closest(caller: Caller) -> None:
    found = await learned(caller, intent="burn the piano about which somebody once wrote down some notes")
    assert (found["matches"], found["message"]) == ([], "No tool matches. Closest:")
    assert "office-notes find_notes" in found["closest"]
    assert f"{found['next']['tool']} {found['next']['command']}" in found["closest"]


@pytest.mark.parametrize("intent", ["brick_up_door", "Brick-Up-Door", "brick up door", "brick_up"])
async def test_an_intent_that_is_a_name_or_a_part_of_one_is_that_command(caller: Caller, intent: str) -> None:
    found = await learned(caller, intent=intent)
    assert [match["command"] for match in found["matches"]] == ["brick_up_door"]
    assert found["matches"][0]["inputSchema"]["required"] == ["room"]


async def test_an_intent_with_a_tool_is_looked_for_within_it(caller: Caller) -> None:
    found = await learned(caller, intent="open", tool="office-doors")
    assert {match["tool"] for match in found["matches"]} == {"office-doors"}


async def test_learn_with_an_intent_gives_the_list_and_what_fits(caller: Caller) -> None:
    listed = await learned(caller, learn=True)
    found = await learned(caller, intent="lock a door")
    assert await learned(caller, learn=True, intent="lock a door") == listed | found


async def test_what_is_sent_as_null_is_as_if_left_out(caller: Caller) -> None:
    nulls = dict.fromkeys(("intent", "tool", "command", "parameters", "learn"))
    assert await learned(caller, **nulls | {"learn": True}) == await learned(caller, learn=True)
    assert await learned(caller, **nulls | {"intent": "time"}) == await learned(caller, intent="time")
    told = await caller.call("azure", **nulls | {"tool": "clock", "command": "what_time"})
    assert told["structuredContent"] == {"hour": 9}
    assert await caller.told("azure", **nulls) == await caller.told("azure")


@pytest.mark.parametrize(
    "arguments",
    [
        {"learn": True, "tool": "office-doors", "command": "brick_up_door", "parameters": {"room": "hall"}},
        {"intent": "brick up the door of the hall"},
        {"intent": "brick up the door", "learn": True, "parameters": {"room": "hall"}},
    ],
)
async def test_nothing_is_executed_while_learning_or_looking(caller: Caller, arguments: dict[str, Any]) -> None:
    assert "is gone" not in json.dumps(await learned(caller, **arguments))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, 'Pass `intent` or `tool`. Next: {"learn":true} or {"intent":"what you want to do"}'),
        ({"tool": "clocks"}, "Tool 'clocks' not found. Did you mean 'clock'? The tools are office-notes,"),
        ({"tool": "clock"}, '`command` is required. Next: {"learn":true,"tool":"clock"}'),
        (
            {"tool": "clock", "command": "what_tim"},
            'Did you mean \'what_time\'? Next: {"learn":true,"tool":"clock","command":"what_time"}',
        ),
        (
            {"tool": "clock", "command": "open_doors"},
            '\'open_door\' or \'brick_up_door\'? Next: {"learn":true,"tool":"office-doors","command":"open_door"}',
        ),
        (
            {"tool": "clock", "command": "zzz"},
            'The tool \'clock\' has no command \'zzz\'. Next: {"learn":true,"tool":"clock"}',
        ),
        (
            {"tool": "clocks", "learn": True},
            'The tools are office-notes, office-doors, clock. Next: {"learn":true,"tool":"clock"}',
        ),
        ({"tool": "zzz"}, 'The tools are office-notes, office-doors, clock. Next: {"learn":true}'),
        (
            {"tool": "zzz", "command": "open_door"},
            "Tool 'zzz' not found. 'open_door' is a command of 'office-doors'. Next:"
            ' {"learn":true,"tool":"office-doors","command":"open_door"}',
        ),
        ({"command": "zzz"}, "Command 'zzz' not found. Next: {\"learn\":true}"),
        (
            {"command": "open_dor"},
            "Command 'open_dor' not found. Did you mean 'open_door'? Next:"
            ' {"learn":true,"tool":"office-doors","command":"open_door"}',
        ),
        (
            {"tool": "clock", "command": "open_door"},
            "'open_door' is a command of 'office-doors'. Next:"
            ' {"learn":true,"tool":"office-doors","command":"open_door"}',
        ),
        ({"command": "open_door"}, "`tool` is required for this command. 'open_door' is a command of 'office-doors'."),
        ({"tool": "open_door", "learn": True}, "'open_door' is a command of 'office-doors'. Next:"),
        ({"tools": "clock"}, "unknown parameter. Did you mean 'tool'?"),
    ],
)
async def test_what_is_unknown_or_missing_is_told_with_the_next_call(
    caller: Caller, arguments: dict[str, Any], told: str
) -> None:
    assert told in await caller.told("azure", **arguments)


async def test_it_names_what_it_reaches_in_this_view(endpoint: Endpoint) -> None:
    async def named(**headers: str) -> str:
        (tool,) = [
            tool
            for tool in (await Caller(endpoint, headers=headers).result("tools/list"))["tools"]
            if tool["name"] == "azure"
        ]
        described: str = tool["description"]
        return described.splitlines()[-1]

    assert await named() == "Tools: office-notes, office-doors, clock."
    assert await named(**{"x-mcp-tools": "azure,what_time"}) == "Tools: clock."


def test_it_stays_small_with_many_toolsets() -> None:
    many = [
        Toolset(f"devops-repo-{number:02}", "One of many.", own=Part(tools=list(office.clock.tools)))
        for number in range(25)
    ]
    for way in ways_of(many):
        published = json.dumps(way.published, separators=(",", ":"), ensure_ascii=False)
        assert len(published.encode()) / 4 < 250
    assert "Tools: devops-{repo-00, repo-01, " in next(iter(ways_of(many))).description


def many_toolsets() -> list[Toolset]:
    """As many as this server may once have: one group of many, and others that stand alone."""
    names = [f"devops-service-connections-{number:02}" for number in range(22)]
    alone = [f"toolset{number:02}" for number in range(23)]
    described = "Read, write, move and delete what is in the storage of the team."
    (clock,) = office.clock.tools
    return [Toolset(name, described, own=Part(tools=[replace(clock, toolset=name)])) for name in (*names, *alone)]


async def test_all_tools_and_what_is_not_known_take_few_tokens_with_many_toolsets() -> None:
    catalog = Catalog(many_toolsets(), ())
    caller = Caller(endpoint_of(Catalogs(catalog)))
    for arguments, most in (({"learn": True}, 700), ({"intent": "zzz"}, 300)):
        result = await caller.call("azure", **arguments)
        assert len(result["content"][0]["text"].encode()) / 4 <= most


async def test_a_group_of_toolsets_is_one_entry_that_is_opened_by_its_name() -> None:
    caller = Caller(endpoint_of(Catalogs(Catalog(many_toolsets(), ()))))
    assert [tool["name"] for tool in (await learned(caller, learn=True))["tools"]].count("devops") == 1
    opened = await learned(caller, learn=True, tool="devops")
    assert [tool["name"] for tool in opened["tools"]] == [
        f"devops-service-connections-{number:02}" for number in range(22)
    ]


async def test_what_the_caller_made_up_is_not_repeated_at_length(caller: Caller) -> None:
    for arguments in ({"tool": "z" * 9000}, {"command": "z" * 9000}, {"tool": "clock", "command": "z" * 9000}):
        assert len(await caller.told("azure", **arguments)) < 400


async def test_a_tool_that_only_lacks_a_setting_is_named_with_it() -> None:
    lacking = {"garage": "Set GARAGE_URL."}
    caller = Caller(new_endpoint(absent=lacking))
    assert (await caller.call("azure", learn=True))["structuredContent"]["unavailable"] == lacking
    assert await caller.told("azure", learn=True, tool="garage-cars") == (
        "Tool 'garage-cars' is not available: Set GARAGE_URL."
    )
    refused = await Caller(caller.endpoint, "clock,garage").error("tools/list")
    assert refused["message"] == "Toolset 'garage' is not available: Set GARAGE_URL."
