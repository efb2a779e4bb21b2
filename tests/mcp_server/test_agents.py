"""What a person, an agent for them and an agent for itself see, call and agree to; and what is on record of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from identity import caller as identity
from identity.caller import Acting
from identity.claims import caller_of
from identity.denial import Denial
from identity.door import Door
from identity.limits import RateLimit
from tests.identity.agents import (
    AGENT,
    APPLICATION,
    BLUEPRINT,
    BY_ITS_ACCOUNT,
    FOR_A_PERSON,
    FOR_ITSELF,
    OTHER_AGENT,
    PERSON,
    Claims,
    with_claims,
)
from tests.identity.agents_told_apart import BAD, GOOD, both_versions
from tests.mcp_server.caller import Caller, Json
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import ROLES, office_door, office_roles

GENEROUS = f"agents:\n  {AGENT}:\n    all: destroy\n    changes: unasked\n"
FORMS: Json = {"elicitation": {}}


class ByClaims:
    """Believes the claims that stand in a header."""

    async def caller(self, headers: Mapping[str, str]) -> identity.Caller:
        if "x-claims" not in headers:
            raise Denial("Say who you are.", error="")
        return caller_of(json.loads(headers["x-claims"]), "token")


def door(agents: str = "", per_caller: int = 0, per_agent: int = 0, changes: int = 0) -> Door:
    return replace(
        office_door(ROLES + agents),
        sign_in=ByClaims(),
        per_caller=RateLimit("caller", per_caller, lambda: 0.0),
        per_agent=RateLimit("agent", per_agent, lambda: 0.0),
        changes_per_agent=RateLimit("agent", changes, lambda: 0.0, daily="changes"),
    )


def office(agents: str = "", *, by_argument: bool = True, **limits: int) -> Caller:
    roles = office_roles(ROLES + agents)
    entrance = door(agents, **limits)
    approvals = approving(by_argument=by_argument, grants_of=entrance.grants_of, has_to_ask=roles.has_to_ask)
    return Caller(new_endpoint(door=entrance, approvals=approvals), "all")


def as_(there: Caller, claims: Claims, *roles: str) -> Caller:
    told = with_claims(claims, roles=[*roles]) if roles else claims
    return replace(there, headers={"x-claims": json.dumps(told)})


async def called(who: Caller, tool: str, arguments: Json, **answer: Json) -> Json:
    """What comes of a call by a client that can show forms."""
    meta = {CLIENT_CAPABILITIES_META_KEY: FORMS}
    sent = await who.send("tools/call", {"name": tool, "arguments": arguments, "_meta": meta, **answer})
    return json.loads(sent.body)


async def destroyed(who: Caller, **more: Json) -> str:
    """What a client that shows forms is told when it asks for the end of the attic."""
    document = await called(who, "brick_up_door", {"room": "attic"}, **more)
    if "result" not in document:
        return str(document["error"]["message"])
    result = document["result"]
    return "asked" if result.get("resultType") == "input_required" else str(result["content"][0]["text"])


READS = {"find_notes", "break_pencil"}
WRITES = {"write_note"}
DESTROYS = {"brick_up_door"}


@both_versions
@pytest.mark.parametrize(("claims", "acts"), GOOD.values(), ids=GOOD)
async def test_each_sees_calls_and_agrees_to_what_is_theirs(claims: Claims, acts: Acting, write: Any) -> None:
    """Each has the role that opens everything to a person."""
    who = as_(office(by_argument=False), write(claims), "Janitor")
    assert {*await who.tool_names()} >= READS | WRITES | DESTROYS
    is_for_a_person = acts is Acting.FOR_A_PERSON
    written = (await called(who, "write_note", {"text": "allowed"}))["result"]
    assert written["isError"] is is_for_a_person
    assert ("The user must approve at the URL below" in written["content"][0]["text"]) is is_for_a_person
    told = await destroyed(who)
    assert (told == "asked") is (acts is Acting.PERSON)
    assert ("Another person must approve" in told) is (acts in {Acting.AGENT, Acting.APPLICATION})
    assert ("The user must approve at the URL below" in told) is is_for_a_person


@both_versions
@pytest.mark.parametrize(("claims", "reason"), BAD.values(), ids=BAD)
async def test_what_is_wrong_of_an_agent_opens_nothing(claims: Claims, reason: str, write: Any) -> None:
    answer = await as_(office(GENEROUS), write(claims), "Janitor").send("tools/list")
    assert answer.status == 401
    assert reason in answer.body.decode()


PROGRAMS = {
    "an agent for a person": FOR_A_PERSON,
    "an agent for itself": FOR_ITSELF,
    "an agent by its account": BY_ITS_ACCOUNT,
    "an application": APPLICATION,
}
each_program = pytest.mark.parametrize("claims", PROGRAMS.values(), ids=PROGRAMS)
YES = {"inputResponses": {"consent": {"action": "accept", "content": {"agree": True}}}}


@each_program
async def test_a_form_is_not_shown_to_a_program_even_if_it_says_that_it_shows_forms(claims: Claims) -> None:
    program = as_(office(GENEROUS), claims, "Janitor")
    assert "Nothing was done yet" in await destroyed(program)
    assert "Nothing was done yet" in await destroyed(program, **YES)


@each_program
async def test_where_a_person_has_to_agree_no_program_agrees(claims: Claims) -> None:
    program = as_(office(GENEROUS, by_argument=False), claims, "Janitor")
    told = await destroyed(program)
    assert "must approve" in told
    assert "confirm" not in told
    confirmed = await called(program, "brick_up_door", {"room": "attic", "confirm": "attic"})
    assert "unknown parameter" in confirmed["result"]["content"][0]["text"]


async def test_an_agent_never_says_for_its_person_that_they_agreed() -> None:
    """Not even where a setting lets models say so of whom they talk with."""
    agent = as_(office(GENEROUS), FOR_A_PERSON, "Janitor")
    assert "confirm" not in await destroyed(agent)
    confirmed = await called(agent, "brick_up_door", {"room": "attic", "confirm": "00000000"})
    assert "The user must approve at the URL below" in confirmed["result"]["content"][0]["text"]


@each_program
@pytest.mark.parametrize("oid", ["their own", "the person's"])
async def test_what_was_sealed_for_a_person_is_worth_nothing_to_a_program(claims: Claims, oid: str) -> None:
    there = office(GENEROUS)
    person = as_(there, PERSON, "Janitor")
    asked = await called(person, "brick_up_door", {"room": "attic"})
    answer = {**YES, "requestState": asked["result"]["requestState"]}
    posing = with_claims(claims, oid=PERSON["oid"], sub=PERSON["sub"]) if oid == "the person's" else claims
    assert "is gone" not in await destroyed(as_(there, posing, "Janitor"), **answer)
    assert "is gone" in await destroyed(person, **answer)


async def test_what_an_agent_may_not_do_is_answered_like_what_is_not_there(records: Records) -> None:
    agent = as_(office("agents: {for-people: {all: read}}"), FOR_A_PERSON, "Janitor")
    hidden, absent = [
        (await agent.error("tools/call", {"name": name, "arguments": {"text": "allowed"}}))["message"]
        for name in ("write_note", "paint_note")
    ]
    assert hidden.replace("write_note", "paint_note") == absent
    assert records.all[0]["outcome"] == "denied"


async def test_a_person_may_ask_for_a_scope_and_their_agent_may_not() -> None:
    there, wish = office(GENEROUS), {"name": "write_note", "arguments": {"text": "allowed"}}
    assert (await as_(there, PERSON).send("tools/call", wish)).status == 403
    for claims in (FOR_A_PERSON, BY_ITS_ACCOUNT):
        answer = await as_(there, claims, "Visitor").send("tools/call", wish)
        assert "www-authenticate" not in answer.headers
        assert b"Unknown tool" in answer.body


# --- limits


async def statuses(*callers: Caller) -> list[int]:
    return [(await caller.send("tools/list")).status for caller in callers]


async def test_an_agent_does_not_use_up_what_its_person_has() -> None:
    there = office(per_caller=1)
    agent, person = as_(there, FOR_A_PERSON), as_(there, PERSON)
    assert await statuses(agent, agent, person, person) == [200, 429, 200, 429]


async def test_many_people_do_not_lift_the_limit_of_an_agent() -> None:
    there = office(per_agent=2)
    people = [as_(there, FOR_A_PERSON | {"oid": f"person-{number}"}) for number in range(3)]
    other = as_(there, with_claims(FOR_A_PERSON, azp=OTHER_AGENT))
    capitals = as_(there, with_claims(FOR_A_PERSON, azp=AGENT.upper()))
    assert await statuses(*people, capitals, other, as_(there, PERSON)) == [200, 200, 429, 429, 200, 200]


async def test_one_person_does_not_use_up_what_an_agent_has_for_others() -> None:
    there = office(per_caller=1, per_agent=2)
    greedy, other = as_(there, FOR_A_PERSON), as_(there, FOR_A_PERSON | {"oid": "other"})
    assert await statuses(greedy, greedy, greedy, other) == [200, 429, 429, 200]


async def test_an_agent_changes_only_so_much_in_a_day_for_whomever(records: Records) -> None:
    there = office(GENEROUS, changes=2)
    first, second = (as_(there, FOR_A_PERSON | {"oid": oid}, "Clerk") for oid in ("first", "second"))
    note = {"text": "allowed"}
    learning = replace(second, toolsets=None)
    assert not (await first.call("write_note", **note)).get("isError")
    # What is refused before anything is done, what only reads and what is learned is no change.
    assert (await first.call("write_note", text="NO"))["isError"]
    assert not (await first.call("find_notes", words="a")).get("isError")
    assert not (await learning.call("azure", learn=True)).get("isError")
    learned = {"tool": "office-notes", "command": "write_note", "parameters": note}
    assert not (await learning.call("azure_change", **learned)).get("isError")
    told = await first.told("write_note", **note)
    assert told == "Too many changes from this agent. Try again in 43200 seconds. Nothing was done."
    assert told == await learning.told("azure_change", **learned)
    assert [record["outcome"] for record in records.all[-2:]] == ["limited", "limited"]
    assert not (await as_(there, PERSON, "Clerk").call("write_note", **note)).get("isError")


# --- the record


async def test_the_record_of_one_story_tells_who_did_what(records: Records) -> None:
    there = office(GENEROUS + "  for-people: {all: read}\n")
    person, their_agent = as_(there, PERSON, "Janitor"), as_(there, FOR_A_PERSON, "Janitor")
    other_agent = as_(there, with_claims(FOR_A_PERSON, azp=OTHER_AGENT), "Janitor")
    itself, account = as_(there, FOR_ITSELF, "Clerk"), as_(there, BY_ITS_ACCOUNT, "Visitor")
    await their_agent.call("find_notes", words="attic")
    await other_agent.send("tools/call", {"name": "write_note", "arguments": {"text": "allowed"}})
    await called(person, "brick_up_door", {"room": "attic"})
    await itself.call("write_note", text="allowed")
    await account.call("find_notes", words="attic")
    forged = as_(there, with_claims(FOR_A_PERSON, xms_act_fct="x"))
    await forged.send("tools/call", {"name": "find_notes", "arguments": {"words": "a"}})
    people = {PERSON["oid"]: "Ada", FOR_ITSELF["oid"]: "the night agent", BY_ITS_ACCOUNT["oid"]: "its account"}
    agents = {AGENT: "the night agent", OTHER_AGENT: "another agent"}
    told = [
        (
            people.get(record["subject"], "a stranger"),
            agents.get(record.get("agent", ""), ""),
            *(record[name] for name in ("kind", "tool", "outcome")),
        )
        for record in records.all
    ]
    assert told == [
        ("Ada", "the night agent", "agent for a user", "find_notes", "done"),
        ("Ada", "another agent", "agent for a user", "write_note", "denied"),
        ("Ada", "", "user", "brick_up_door", "asked"),
        ("the night agent", "the night agent", "agent", "write_note", "done"),
        ("its account", "the night agent", "agent", "find_notes", "done"),
        ("a stranger", "", "anonymous", "find_notes", "denied"),
    ]
    assert [record.get("blueprint") == BLUEPRINT for record in records.all] == [True, True, False, True, True, False]
    assert [record["client"] for record in records.all[:3]] == [AGENT, OTHER_AGENT, PERSON["azp"]]


async def test_what_calls_no_tool_is_on_record_with_the_agent_too(records: Records) -> None:
    await as_(office(), FOR_ITSELF).send("tools/list")
    (attempt,) = records.attempts
    told = [attempt[name] for name in ("kind", "agent", "blueprint", "outcome")]
    assert told == ["agent", AGENT, BLUEPRINT, "denied"]
