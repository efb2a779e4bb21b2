"""A tool that is no Python function is listed, learned, called, asked for and recorded like any other."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from identity.access import Access
from identity.denial import Denial
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.toolset import Part, Toolset
from mcp_server.http import rest
from refusal import Refusal
from tests.mcp_server.caller import MODERN, Caller, Era, Json, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.machine import Machine
from tests.mcp_server.office import SECRET, TOOLSETS
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "part": {"type": "string", "description": "Which part"},
        "count": {"type": "integer", "description": "How many"},
    },
    "required": ["part"],
    "additionalProperties": False,
}
ROUTED = SCHEMA | {"properties": {"part": {"type": "string", "description": "Which", "x-mcp-header": "Part"}}}


async def make(meant: dict[str, Any]) -> str:
    match meant["part"]:
        case "gold":
            raise Refusal("There is no gold. Make it of steel.")
        case "glass":
            raise RuntimeError(f"it broke on {SECRET}")
        case "patent":
            raise Denial("Sign in once more.", "insufficient_claims", (), "{}")
        case "spare":
            raise InvalidArgumentsError(["part: nobody makes spares any more."])
        case "cathedral":
            await asyncio.Event().wait()
        case "mountain":
            return "x" * 5_000_000
    return f"{meant.get('count', 1)} of {meant['part']}"


def machine(name: str, access: Access, **marks: Any) -> Machine:
    given: dict[str, Any] = {"schema": SCHEMA, "title": name.capitalize(), "action": make} | marks
    return Machine(name=name, toolset="machines", access=access, **given)


machines = Toolset(
    "machines",
    "Make parts by machine.",
    own=Part(
        tools=[
            machine("make_part", Access.WRITE, harmless=["part"], seconds=0.05),
            machine("melt_part", Access.DESTROY, harmless=["count"]),
            machine("find-part", Access.READ),
            machine("route_part", Access.READ, schema=ROUTED),
        ]
    ),
)
ALL = (*TOOLSETS, machines)
DOOR = office_door("roles: {Janitor: {all: destroy}, Visitor: {machines: read}}", [toolset.name for toolset in ALL])


def someone(role: str = "Janitor", toolsets: str | None = "machines", era: Era = MODERN) -> Caller:
    return Caller(new_endpoint(toolsets=ALL, door=DOOR), toolsets, {"x-who": f"eve {role}"}, era)


async def outcome(caller: Caller, way: str, tool: str, arguments: Json) -> Json:
    """What the caller is told, whichever way the call goes."""
    if way == "rest":
        body = json.dumps({"tool": tool, "arguments": arguments}).encode()
        told = json.loads((await rest.execute(caller.endpoint, post(body, caller.headers))).body)
        return {"error": told["detail"]} if "detail" in told else told
    if way == "learned":
        arguments, tool = {"tool": "machines", "command": tool, "parameters": arguments}, "azure_change"
        caller = Caller(caller.endpoint, None, caller.headers, caller.era)
    document = json.loads((await caller.send("tools/call", {"name": tool, "arguments": arguments})).body)
    if "error" in document:
        return {"error": document["error"]["message"]}
    text = document["result"]["content"][0]["text"]
    return {"error": text} if document["result"]["isError"] else {"result": document["result"]["structuredContent"]}


async def test_it_is_listed_with_its_own_schema_and_learned_as_it_is_listed(era: Era) -> None:
    listed = {tool["name"]: tool for tool in (await someone(era=era).result("tools/list"))["tools"]}
    assert list(listed) == ["make_part", "melt_part", "find-part", "route_part"]
    assert listed["make_part"]["inputSchema"] == SCHEMA
    assert listed["make_part"]["description"] == "Do what a machine does."
    assert list(listed["melt_part"]["inputSchema"]["properties"]) == ["part", "count", "confirm"]
    assert listed["find-part"]["annotations"]["readOnlyHint"]
    learned = await someone(toolsets=None, era=era).call("azure", learn=True, tool="machines")
    for command in learned["structuredContent"]["commands"]:
        assert command["inputSchema"] == listed[command["name"]]["inputSchema"]


OUTCOMES: list[tuple[Json, str, str]] = [
    ({"part": "bolt", "count": 3}, "3 of bolt", "done"),
    ({"count": "3"}, "not valid; nothing was done.\n- part: is required.\n- count: must be integer.", "refused"),
    ({"part": "bolt", "size": 3}, "- size: unknown parameter.", "refused"),
    ({"part": "gold"}, "There is no gold. Make it of steel.", "refused"),
    ({"part": "spare"}, "- part: nobody makes spares any more.", "refused"),
    ({"part": "mountain"}, "must not be repeated. The response from make_part is 5000000 characters long", "done"),
    (
        {"part": "cathedral"},
        "make_part was stopped after 0.05 seconds. Check what it has already done, then ask",
        "limited",
    ),
    ({"part": "glass"}, "make_part failed on the server", "failed"),
    ({"part": "patent"}, "Sign in once more.", "denied"),
]


@pytest.mark.parametrize(("arguments", "told", "ending"), OUTCOMES)
@pytest.mark.parametrize("way", ["direct", "learned", "rest"])
async def test_whatever_becomes_of_it_is_told_and_recorded_alike(
    records: Records, arguments: Json, told: str, ending: str, way: str
) -> None:
    answer = await outcome(someone(), way, "make_part", arguments)
    assert told in "".join(str(value) for value in answer.values())
    assert SECRET not in str(answer)
    record = records.only
    assert (record["toolset"], record["tool"], record["way"], record["outcome"]) == (
        "machines",
        "make_part",
        way,
        ending,
    )
    assert "called_as" not in record
    if "count" in arguments and "part" in arguments:
        assert record["arguments"] == {"part": "bolt", "count": None}


async def test_no_kind_of_tool_is_given_half_a_character() -> None:
    assert "half of a surrogate pair" in await someone().told("make_part", part="\ud800")


async def test_to_who_may_not_it_is_not_there_and_that_is_recorded(records: Records, era: Era) -> None:
    visitor = someone("Visitor", era=era)
    assert await visitor.tool_names() == ["find-part", "route_part"]
    answer = await visitor.send("tools/call", {"name": "make_part", "arguments": {"part": "bolt"}})
    assert b"Unknown tool: 'make_part'" in answer.body
    assert records.only["outcome"] == "denied"


async def test_it_is_asked_for_before_it_destroys_anything(records: Records) -> None:
    """It cannot tell what it would do, so another person has to look at it."""
    caller, told = someone(), (await someone().told("melt_part", part="bolt", count=3))
    assert "Melt_part. This change deletes or overwrites data.\n- unknown: the state of the service" in told
    assert "The preview is incomplete. Another person must approve" in told
    assert "must be integer" in await caller.told("melt_part", part="bolt", count="3", confirm="bolt")
    meta: Json = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {}}}
    call: Json = {"name": "melt_part", "arguments": {"part": "bolt"}, "_meta": meta}
    assert json.loads((await caller.send("tools/call", call)).body)["result"]["isError"]
    assert [record["outcome"] for record in records.all] == ["asked", "refused", "asked"]


async def test_a_header_that_contradicts_its_argument_is_refused() -> None:
    call = {"name": "route_part", "arguments": {"part": "bolt"}}
    for part, status in (("bolt", 200), ("nut", 400)):
        headers = {"x-who": "eve Janitor", "mcp-param-part": part}
        answer = await someone().endpoint.handle(message("tools/call", call, headers=headers), "machines")
        assert answer.status == status


async def test_it_is_chosen_by_name_and_found_by_intent() -> None:
    endpoint = someone().endpoint
    headers = {"x-who": "eve Janitor", "x-mcp-tools": "make_part,azure"}
    assert await Caller(endpoint, headers=headers).tool_names() == ["make_part", "azure"]
    found = await someone(toolsets=None).call("azure", intent="melt something down")
    assert found["structuredContent"]["matches"][0]["command"] == "melt_part"


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        (
            {"harmless": ["parts"]},
            "tool has marks for parameters that do not exist: parts. Its parameters are: part, count",
        ),
    ],
)
def test_a_mark_on_a_parameter_that_is_not_there_is_refused(marks: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        machine("tool", Access.DESTROY, **marks)


def test_a_mark_on_a_parameter_that_a_function_does_not_have_is_refused() -> None:
    def close_door(room: str, force: bool = False) -> None:
        """Close a door."""

    with pytest.raises(
        TypeError, match=r"close_door has marks for parameters that do not exist: rom. Its parameters are: room, force"
    ):
        Toolset("doors", "Doors.").tool(Access.WRITE, harmless=["rom"])(close_door)
