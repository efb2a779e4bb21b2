"""Every call of a tool leaves exactly one record, whatever becomes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY
from pydantic import Field

from identity.access import Access
from identity.denial import Denial
from mcp_server.calls.rationing import Rationing
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import Caller, Era, Json, code_in, message, post
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.office import SECRET, TOOLSETS
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import limited, office_door

perils = Toolset("perils", "Go wrong in every way.")


@perils.tool(Access.READ)
async def be_turned_away() -> str:
    """Be turned away by what stands behind."""
    raise Denial("Sign in once more.", "insufficient_claims", (), '{"access_token":{}}')


@perils.tool(Access.WRITE, seconds=0.01)
async def dawdle() -> str:
    """Take longer than it may."""
    await asyncio.Event().wait()
    return "never"


@perils.tool(Access.READ)
async def babble(size: Annotated[int, Field(description="How much")]) -> str:
    """Say more than anybody can hear."""
    return "x" * size


@perils.tool(Access.WRITE, harmless=["doors"])
async def paint(doors: Annotated[list[int], Field(description="Which")]) -> str:
    """Paint doors."""
    return f"{len(doors)} are painted"


PERILS = (*TOOLSETS, perils)
NAMES = [toolset.name for toolset in PERILS]


def someone(who: str | None = "eve Clerk", toolsets: str | None = "all", era: Era = "2026-07-28") -> Caller:
    endpoint = new_endpoint(toolsets=PERILS, door=office_door(toolsets=[*NAMES, "mishaps"]))
    return Caller(endpoint, toolsets, {"x-who": who} if who else {}, era)


async def test_a_record_says_who_did_what_and_what_came_of_it(records: Records, era: Era) -> None:
    await someone(era=era).call("write_note", text="allowed")
    record = records.only
    assert record.pop("time").endswith("+00:00")
    assert record.pop("milliseconds") >= 0
    assert record == {
        "kind": "user",
        "tenant": "office",
        "subject": "eve",
        "client": "desk",
        "toolset": "office-notes",
        "tool": "write_note",
        "access": "write",
        "way": "direct",
        "arguments": {"text": None},
        "outcome": "done",
        "invocation": "",
        "trace": "",
        "address": "",
        "token": "",
    }


async def test_values_stand_there_only_where_they_are_harmless(records: Records) -> None:
    caller = Caller(new_endpoint(approvals=approving(page=None)), "all")
    code = code_in(await caller.told("brick_up_door", room="attic"))
    await caller.call("brick_up_door", room="attic", confirm=code)
    assert records.all[-1]["arguments"] == {"room": "attic", "confirm": None}


async def test_each_of_many_numbers_stands_there(records: Records) -> None:
    await someone("eve Janitor").call("paint", doors=list(range(10_000, 10_200)))
    assert records.only["arguments"] == {"doors": list(range(10_000, 10_200))}


@pytest.mark.parametrize("doors", [list(range(10_000, 10_201)), [1, "x" * 500], [10**30], [[1] * 500]])
async def test_a_list_of_anything_else_is_cut(records: Records, doors: Json) -> None:
    await someone("eve Janitor").call("paint", doors=doors)
    assert len(str(records.only["arguments"]["doors"])) <= 200


async def test_names_that_a_caller_made_up_do_not_stand_there(records: Records) -> None:
    await someone().call("write_note", text="allowed", **{SECRET: SECRET})
    assert records.only["arguments"] == {"text": None}


CALLS: list[tuple[str, Json, str]] = [
    ("write_note", {"text": "allowed"}, "done"),
    ("write_note", {"text": "forbidden"}, "refused"),
    ("write_note", {"text": 7}, "refused"),
    ("write_note", {"txt": "allowed"}, "refused"),
    ("break_pencil", {"token": SECRET}, "failed"),
    ("be_turned_away", {}, "denied"),
    ("dawdle", {}, "limited"),
    ("babble", {"size": 5_000_000}, "refused"),
    ("brick_up_door", {"room": "attic"}, "asked"),
]


@pytest.mark.parametrize(("tool", "arguments", "outcome"), CALLS)
@pytest.mark.parametrize("way", ["direct", "learned", "rest"])
async def test_there_is_one_record_of_every_way_and_outcome(
    records: Records, tool: str, arguments: Json, outcome: str, way: str
) -> None:
    caller = someone("eve Janitor")
    toolset, access = next((one.name, known.access) for one in PERILS for known in one.tools if known.name == tool)
    if way == "direct":
        await caller.send("tools/call", {"name": tool, "arguments": arguments})
    elif way == "learned":
        learned = {"tool": toolset, "command": tool, "parameters": arguments}
        name = "azure" if access is Access.READ else "azure_change"
        await Caller(caller.endpoint, None, caller.headers).send("tools/call", {"name": name, "arguments": learned})
    else:
        body = json.dumps({"tool": tool, "arguments": arguments}).encode()
        await rest.execute(caller.endpoint, post(body, caller.headers))
    record = records.only
    assert (record["tool"], record["toolset"], record["way"], record["outcome"]) == (tool, toolset, way, outcome)
    assert SECRET not in json.dumps(record)


@pytest.mark.parametrize("toolsets", [None, "all"])
async def test_whoever_may_not_is_on_record(records: Records, toolsets: str | None) -> None:
    assert (await someone("eve", toolsets).send("tools/call", {"name": "write_note", "arguments": {}})).status == 403
    assert (records.all[-1]["outcome"], records.only["subject"]) == ("denied", "eve")
    assert (await someone(None, toolsets).send("tools/call", {"name": "write_note", "arguments": {}})).status == 401
    assert (records.all[-1]["outcome"], records.only["kind"]) == ("denied", "anonymous")


async def test_whoever_comes_too_often_is_on_record(records: Records) -> None:
    endpoint = new_endpoint(door=limited(office_door(), per_caller=1))
    caller = Caller(endpoint, "all", {"x-who": "eve Clerk"})
    await caller.call("write_note", text="allowed")
    assert records.only["outcome"] == "done"
    answer = await caller.send("tools/call", {"name": "write_note", "arguments": {"text": "allowed"}})
    assert (answer.status, answer.headers["retry-after"]) == (429, "60")
    assert records.only["outcome"] == "limited"


async def test_a_question_is_on_record_and_so_is_what_follows(records: Records) -> None:
    meta: Json = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {}}}
    params = {"name": "brick_up_door", "arguments": {"room": "attic"}, "_meta": meta}
    asked = json.loads((await someone("eve Janitor").send("tools/call", params)).body)["result"]
    assert asked["resultType"] == "input_required"
    assert records.only["outcome"] == "asked"


async def test_learning_is_on_record_as_reading(records: Records) -> None:
    await someone("eve Janitor", None).call("azure", learn=True)
    record = records.only
    assert (record["tool"], record["access"], record["outcome"]) == ("azure", "read", "done")


async def test_a_call_that_never_reaches_its_tool_is_on_record_too(records: Records) -> None:
    caller = someone("eve Janitor", "clock")
    await caller.error("tools/call", {"name": "write_note", "arguments": {}})
    assert records.only["outcome"] == "refused"
    await caller.error("tools/call", {"name": "what_time", "arguments": {}, "inputResponses": "no"})
    assert records.only["tool"] == "what_time"


SPELLINGS = [
    b"tools/call",
    b"tools\\/call",
    b"\\u0074ools/call",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("who", [None, "eve"])
async def test_no_spelling_of_a_denied_call_goes_unrecorded(records: Records, spelling: bytes, who: str | None) -> None:
    plain = message("tools/call", {"name": "write_note", "arguments": {}}, headers={"x-who": who} if who else {})
    body = plain.body.replace(b"tools/call", spelling)
    answer = await someone(None).endpoint.handle(replace(plain, body=body))
    assert answer.status == (403 if who else 401)
    assert records.only["outcome"] == "denied"


@pytest.mark.parametrize(("way", "more"), [("azure", {"learn": "false"}), ("azure", {}), ("azure_change", {})])
async def test_a_learned_call_is_told_from_learning_as_the_tool_tells_it(
    records: Records, way: str, more: Json
) -> None:
    arguments = {"tool": "office-notes", "command": "write_note", "parameters": {}, **more}
    answer = await someone("eve", None).send("tools/call", {"name": way, "arguments": arguments})
    assert (answer.status, records.only["tool"]) == (403, "write_note")


@pytest.mark.parametrize("room", ["\ud800", "x" * 5000, 10**400])
@pytest.mark.parametrize("who", [None, "eve", "eve Janitor"])
async def test_no_argument_keeps_a_call_from_its_record(records: Records, who: str | None, room: Json) -> None:
    answer = await someone(who).send("tools/call", {"name": "brick_up_door", "arguments": {"room": room}})
    assert answer.status in (200, 400, 401, 403)
    assert len(records.only["arguments"]["room"]) <= 200


async def test_a_large_body_of_a_stranger_is_not_even_read_but_on_record(records: Records) -> None:
    large = {"name": "write_note", "arguments": {"text": "x" * 70_000}}
    assert (await someone(None).send("tools/call", large)).status == 401
    assert (records.all, [attempt["tried"] for attempt in records.attempts]) == ([], ["too large to read"])
    assert (await someone("eve").send("tools/call", large)).status == 403
    assert records.only["outcome"] == "denied"


async def test_a_flood_from_one_address_is_counted_and_not_recorded(records: Records) -> None:
    endpoint = new_endpoint(door=limited(office_door(), per_address=1))
    caller = Caller(endpoint, "all", {"x-who": "eve Clerk"})
    await caller.call("write_note", text="allowed")
    assert records.only["outcome"] == "done"
    assert (await caller.send("tools/call", {"name": "write_note", "arguments": {"text": "allowed"}})).status == 429
    assert records.all == []


async def test_a_defect_before_the_call_is_answered_and_recorded(records: Records) -> None:
    @asynccontextmanager
    async def broken() -> AsyncIterator[object]:
        raise ConnectionError(SECRET)
        yield

    answer = await Caller(new_endpoint(broken), "all").send("tools/call", {"name": "what_time", "arguments": {}})
    assert (answer.status, records.only["outcome"]) == (500, "failed")
    assert SECRET.encode() not in answer.body


async def test_a_call_of_no_tool_of_this_server_is_an_attempt_and_a_list_is_none(records: Records) -> None:
    caller = someone()
    await caller.tool_names()
    assert records.attempts == []
    await caller.error("tools/call", {"name": SECRET, "arguments": {SECRET: SECRET}})
    (attempt,) = records.attempts
    assert attempt.pop("time").endswith("+00:00")
    assert attempt == {
        "kind": "user",
        "tenant": "office",
        "subject": "eve",
        "client": "desk",
        "tried": "tools/call",
        "outcome": "refused",
        "invocation": "",
        "address": "",
        "token": "",
    }
    assert records.all == []


METHODS: list[tuple[str, Json]] = [
    ("tools/list", {}),
    ("resources/read", {"uri": "desk://inventory"}),
    ("prompts/get", {"name": "tidy_desk"}),
    ("completion/complete", {}),
    ("server/discover", {}),
]


@pytest.mark.parametrize(("method", "params"), METHODS)
async def test_a_forged_sign_in_is_on_record_whatever_it_was_for(records: Records, method: str, params: Json) -> None:
    answer = await someone("forger").send(method, params)
    assert answer.status == 401
    (attempt,) = records.attempts
    assert (attempt["tried"], attempt["outcome"], attempt["kind"]) == (method, "denied", "anonymous")


async def test_what_a_stranger_calls_the_method_is_not_on_record(records: Records) -> None:
    await someone("forger").send(SECRET)
    assert [attempt["tried"] for attempt in records.attempts] == ["unknown"]


async def test_how_clients_find_out_how_to_sign_in_is_no_attempt(records: Records) -> None:
    assert (await someone(None).send("tools/list")).status == 401
    assert (records.all, records.attempts) == ([], [])


async def test_records_tell_the_address_and_the_token(records: Records) -> None:
    caller = someone("eve Clerk")
    sent = message("tools/call", {"name": "write_note", "arguments": {"text": "allowed"}}, headers=caller.headers)
    await caller.endpoint.handle(replace(sent, address="192.0.2.7", headers={**sent.headers, "x-token": "t1"}), "all")
    record = records.only
    assert (record["address"], record["token"]) == ("192.0.2.7", "t1")


async def flood(endpoint: Endpoint, addresses: Iterable[str], method: str = "tools/list") -> None:
    for address in addresses:
        await endpoint.handle(replace(message(method, headers={"x-who": "forger"}), address=address))


async def test_a_stranger_leaves_a_few_records_and_is_counted_beyond(records: Records) -> None:
    now = 0.0
    endpoint = new_endpoint(door=office_door(), rationing=Rationing(lambda: now))
    await flood(endpoint, ["192.0.2.7"] * 600)
    assert len(records.attempts) == 10
    await flood(endpoint, ["192.0.2.8"])  # another is not hidden by the first, and says how many there were
    assert (len(records.attempts), records.attempts[-1]["omitted"]) == (11, 590)
    now = 600.0
    await flood(endpoint, ["192.0.2.7"])
    assert len(records.attempts) == 12
    assert "omitted" not in records.attempts[-1]


async def test_many_strangers_together_leave_few_records_too_and_hide_no_other_attempt(records: Records) -> None:
    endpoint = new_endpoint(door=office_door(), rationing=Rationing(lambda: 0.0))
    await flood(endpoint, [f"192.0.{number // 250}.{number % 250}" for number in range(600)])
    assert len(records.attempts) == 60
    await flood(endpoint, ["198.51.100.1"], "prompts/list")
    assert (records.attempts[-1]["tried"], records.attempts[-1]["omitted"]) == ("prompts/list", 540)


async def test_calls_of_strangers_are_rationed_and_those_of_people_are_not(records: Records) -> None:
    endpoint = new_endpoint(door=office_door(), rationing=Rationing(lambda: 0.0))
    for who in (None, "eve"):
        caller = Caller(endpoint, "all", {"x-who": who} if who else {})
        for _ in range(30):
            await caller.send("tools/call", {"name": "brick_up_door", "arguments": {}})
    assert [sum(record["kind"] == kind for record in records.all) for kind in ("anonymous", "user")] == [10, 30]
    assert sum(record.get("omitted", 0) for record in records.all) == 20


async def test_that_somebody_comes_too_often_is_said_a_few_times(records: Records) -> None:
    door = limited(office_door(), per_caller=1)
    caller = Caller(new_endpoint(door=door, rationing=Rationing(lambda: 0.0)), "all", {"x-who": "eve Clerk"})
    for _ in range(30):
        await caller.send("tools/call", {"name": "write_note", "arguments": {"text": "allowed"}})
    assert len(records.all) == 1 + 10


@perils.resource("perils://turned/away", name="Turned away")
async def turned_away() -> str:
    """Be turned away while reading."""
    raise Denial("Sign in once more.", "insufficient_claims", (), "{}")


@perils.tool(Access.READ)
async def be_turned_away_in_a_group() -> str:
    """Be turned away by one of several that are asked at once."""
    async with asyncio.TaskGroup() as group:
        group.create_task(be_turned_away())
    return "never"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", {"uri": "perils://turned/away"}),
        ("tools/call", {"name": "be_turned_away_in_a_group", "arguments": {}}),
    ],
)
async def test_a_denial_behind_anything_turns_the_request_away(method: str, params: Json) -> None:
    answer = await someone("eve Janitor").send(method, params)
    assert answer.status == 401
    assert 'error="insufficient_claims"' in answer.headers["www-authenticate"]


async def test_a_service_that_wants_more_proof_turns_the_whole_request_away() -> None:
    answer = await someone("eve Janitor").send("tools/call", {"name": "be_turned_away", "arguments": {}})
    assert (answer.status, answer.headers["www-authenticate"].partition(",")[0]) == (
        401,
        'Bearer error="insufficient_claims"',
    )


async def test_what_takes_too_long_is_stopped_in_words() -> None:
    told = await someone("eve Janitor").told("dawdle")
    assert told == "dawdle was stopped after 0.01 seconds. Check what it has already done, then ask for less."


async def test_an_answer_that_is_too_large_is_refused_in_words() -> None:
    told = await someone("eve Janitor").told("babble", size=4 * 1024 * 1024 + 1)
    assert "4194305 characters long; the limit is 4194304. Narrow the request" in told
