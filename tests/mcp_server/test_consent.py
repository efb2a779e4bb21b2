"""What destroys something is shown and asked for first, in the way that the client can answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY
from pydantic import Field

from changes.preview import Preview
from changes.rules import Rules
from changes.undo import never
from identity.access import Access
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import LEGACY, Caller, Era, Json, code_in, post
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.office import behind
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

GONE = [{"type": "text", "text": "attic is gone"}]


@dataclass
class Person:
    """Sits before a client that can show forms."""

    caller: Caller
    capability: Json = field(default_factory=dict)

    async def send(self, arguments: Json, tool: str = "brick_up_door", **answer: Json) -> Json:
        meta = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": self.capability}}
        sent = await self.caller.send("tools/call", {"name": tool, "arguments": arguments, "_meta": meta, **answer})
        return json.loads(sent.body)

    async def asked(self, arguments: Json, tool: str = "brick_up_door") -> tuple[Json, str]:
        result = (await self.send(arguments, tool))["result"]
        assert result["resultType"] == "input_required", result
        return result["inputRequests"]["consent"]["params"], result["requestState"]

    async def answered(self, arguments: Json, state: str | None, response: Json, **more: Json) -> Json:
        answer: Json = {"inputResponses": {"consent": response}} | ({"requestState": state} if state else {})
        return (await self.send(arguments, **answer, **more))["result"]


@pytest.fixture
def person(everything: Caller) -> Person:
    return Person(everything)


AGREED: Json = {"action": "accept", "content": {"agree": True}}


def text_of(result: Json) -> str:
    text: str = result["content"][0]["text"]
    return text


@pytest.mark.parametrize("capability", [{}, {"form": {}}, {"form": {}, "url": {}}])
async def test_a_client_that_shows_forms_is_asked_and_goes_on(everything: Caller, capability: Json) -> None:
    person = Person(everything, capability)
    form, state = await person.asked({"room": "attic"})
    assert form["message"].splitlines() == [
        "Brick up door: The door of the attic. This change deletes or overwrites data.",
        "- behind it: a ladder",
        '- to undo it: open_door(room="attic")',
    ]
    assert list(form["requestedSchema"]["properties"]) == form["requestedSchema"]["required"] == ["agree"]
    assert (await person.answered({"room": "attic"}, state, AGREED))["content"] == GONE


@pytest.mark.parametrize(
    "response",
    [
        {"action": "accept"},
        {"action": "accept", "content": {}},
        *({"action": "accept", "content": {"agree": value}} for value in (False, "true", "yes", 1, ["x"])),
        {"action": "accept", "content": {"other": True}},
        {"action": "decline", "content": {"agree": True}},
        {"action": "cancel", "content": {"agree": True}},
        {"action": "decline"},
    ],
)
async def test_anything_but_an_agreement_is_a_no(person: Person, response: Json) -> None:
    _, state = await person.asked({"room": "attic"})
    result = await person.answered({"room": "attic"}, state, response)
    assert result["isError"]
    assert "nothing was done" in text_of(result)


async def test_who_has_said_no_is_not_asked_for_the_same_again(person: Person) -> None:
    _, state = await person.asked({"room": "attic"})
    await person.answered({"room": "attic"}, state, {"action": "decline"})
    result = (await person.send({"room": "attic"}))["result"]
    assert "was denied for this call; nothing was done" in text_of(result)
    await person.asked({"room": "cellar"})


async def test_an_agreement_is_good_once(person: Person) -> None:
    _, state = await person.asked({"room": "attic"})
    assert (await person.answered({"room": "attic"}, state, AGREED))["content"] == GONE
    again = await person.answered({"room": "attic"}, state, AGREED)
    assert again["resultType"] == "input_required"
    assert again["requestState"] != state


async def test_what_changed_since_it_was_shown_is_shown_anew(person: Person) -> None:
    _, state = await person.asked({"room": "loft"})
    behind["loft"] = "a child"
    try:
        again = await person.answered({"room": "loft"}, state, AGREED)
        assert "behind it: a child" in again["inputRequests"]["consent"]["params"]["message"]
    finally:
        del behind["loft"]


async def test_the_answer_to_one_question_is_none_to_another(person: Person) -> None:
    _, state = await person.asked({"room": "attic"})
    sent = await person.send({"room": "cellar"}, inputResponses={"consent": AGREED}, requestState=state)
    assert sent["error"]["code"] == -32602


async def test_an_answer_without_its_question_is_asked_for_again(person: Person) -> None:
    result = await person.answered({"room": "attic"}, None, AGREED)
    assert result["resultType"] == "input_required"


async def test_the_answer_of_one_caller_is_none_of_another() -> None:
    endpoint = new_endpoint(door=office_door())
    eve, mallory = (Person(Caller(endpoint, "all", {"x-who": f"{name} Janitor"})) for name in ("eve", "mallory"))
    _, state = await eve.asked({"room": "attic"})
    stolen = await mallory.send({"room": "attic"}, inputResponses={"consent": AGREED}, requestState=state)
    assert stolen["error"]["code"] == -32602
    assert (await eve.answered({"room": "attic"}, state, AGREED))["content"] == GONE


async def test_a_model_that_agrees_by_itself_does_not_spare_the_user_the_question() -> None:
    person = Person(by_argument("2026-07-28"))
    sent = {"room": "attic", "confirm": "12345678"}
    _, state = await person.asked(sent)
    assert (await person.answered(sent, state, AGREED))["content"] == GONE


async def test_a_learned_call_asks_too(person: Person) -> None:
    arguments = {"tool": "office-doors", "command": "brick_up_door", "parameters": {"room": "attic"}}
    person = replace(person, caller=Caller(person.caller.endpoint))
    _, state = await person.asked(arguments, "azure_change")
    assert (await person.answered(arguments, state, AGREED, tool="azure_change"))["content"] == GONE


def by_argument(era: Era = LEGACY, **how: Any) -> Caller:
    return Caller(new_endpoint(approvals=approving(**how)), "all", era=era)


async def test_a_client_that_cannot_be_asked_repeats_the_code_of_what_it_was_shown(era: Era) -> None:
    caller = by_argument(era)
    told = await caller.told("brick_up_door", room="attic")
    assert told.startswith(
        "Nothing was done yet. Brick up door: The door of the attic. This change deletes or overwrites data.\n"
        "- behind it: a"
    )
    for wrong in ("attic", "", "0" * 8, code_in(told).upper() + "x"):
        assert "does not match the current preview" in await caller.told("brick_up_door", room="attic", confirm=wrong)
    assert "does not match the current preview" in await caller.told(
        "brick_up_door", room="cellar", confirm=code_in(told)
    )
    assert (await caller.call("brick_up_door", room="attic", confirm=code_in(told)))["content"] == GONE


@pytest.mark.parametrize("wrong", [True, 7, ["attic"], {"code": "attic"}])
async def test_what_is_no_code_is_told_before_anything_is_looked_at(wrong: Any, records: Records) -> None:
    told = await by_argument().told("brick_up_door", room="attic", confirm=wrong)
    assert told.splitlines()[1:] == ["- confirm: must be text."]
    assert "change" not in records.only


async def test_a_code_is_good_once_and_for_what_was_shown() -> None:
    caller = by_argument()
    code = code_in(await caller.told("brick_up_door", room="shed"))
    behind["shed"] = "a bicycle"
    try:
        told = await caller.told("brick_up_door", room="shed", confirm=code)
        assert "behind it: a bicycle" in told
        assert (await caller.call("brick_up_door", room="shed", confirm=code_in(told)))["content"][0]["text"]
    finally:
        del behind["shed"]


async def test_where_arguments_do_not_count_the_user_decides_on_a_page(endpoint: Endpoint) -> None:
    caller = Caller(new_endpoint(approvals=approving(by_argument=False)), "all")
    told = await caller.told("brick_up_door", room="attic")
    assert "The user must approve at the URL below. " in told
    assert "unknown parameter" in await caller.told("brick_up_door", room="attic", confirm="attic")


async def test_where_there_is_no_page_either_it_is_said_what_an_operator_has_to_set() -> None:
    caller = Caller(new_endpoint(approvals=approving(by_argument=False, page=None, lacking="Set this.")), "all")
    told = await caller.told("brick_up_door", room="attic")
    assert told.endswith("\nA person must approve this change. Set this.")


async def test_a_client_that_opens_pages_is_given_the_page_to_open_once(everything: Caller) -> None:
    person = Person(everything, {"url": {}})
    result = (await person.send({"room": "attic"}))["result"]
    asked = result["inputRequests"]["consent"]["params"]
    assert asked["mode"] == "url"
    assert asked["url"].startswith("http://localhost:7071/changes/")
    opened = await person.answered({"room": "attic"}, result["requestState"], {"action": "accept"})
    assert opened["isError"]
    assert "Nothing was done yet." in text_of(opened)


async def test_wrong_arguments_are_told_before_anybody_is_asked(person: Person) -> None:
    result = (await person.send({"room": 7}))["result"]
    assert "room: must be text" in text_of(result)


async def test_a_setting_may_waive_it() -> None:
    waived = approving(rules=Rules(waived=("office",)))
    caller = Caller(new_endpoint(approvals=waived), "all")
    assert (await caller.call("brick_up_door", room="attic"))["content"] == GONE


async def test_plain_http_is_told_where_it_is_decided() -> None:
    endpoint = new_endpoint(approvals=approving(by_argument=False))
    body = json.dumps({"tool": "brick_up_door", "arguments": {"room": "attic"}}).encode()
    answer = await rest.execute(endpoint, post(body))
    document = json.loads(answer.body)
    assert answer.status == 202
    assert answer.headers["location"] == document["change"]["address"]
    assert "/changes/" in document["change"]["address"]
    assert document["detail"].startswith("Nothing was done yet.")


async def test_where_nothing_can_be_kept_nothing_is_destroyed() -> None:
    caller = Caller(new_endpoint(approvals=approving(ledger=None)), "all")
    assert "does not store changes" in await caller.told("brick_up_door", room="attic")


barn = Toolset("barn", "Take down what stands there.")


async def _beam() -> Preview:
    """Which beam holds it."""
    return Preview(what="The barn", pins={"beam": "the third"})


@barn.tool(Access.DESTROY, previewed=_beam)
async def take_down(beam: Annotated[str, Field(description="Which holds it")] = "any") -> str:
    """Take down the barn."""
    return f"taken down by {beam} beam"


async def test_what_was_seen_is_what_the_tool_is_held_to() -> None:
    caller = Caller(new_endpoint(toolsets=[barn]), "all")
    assert text_of(await caller.agreed("take_down")) == "taken down by the third beam"
    waived = Caller(new_endpoint(toolsets=[barn], approvals=approving(rules=Rules(waived=("barn",)))), "all")
    assert text_of(await waived.call("take_down")) == "taken down by any beam"


async def test_a_page_or_a_code_is_offered_and_never_both() -> None:
    signed_in = Caller(new_endpoint(door=office_door()), "all", {"x-who": "eve Janitor"})
    nobody_signs_in = Caller(new_endpoint(approvals=approving(page=None)), "all")
    at_the_page = await signed_in.call("brick_up_door", room="attic")
    by_code = await nobody_signs_in.call("brick_up_door", room="attic")
    assert "/changes/" in text_of(at_the_page)
    assert "confirm" not in text_of(at_the_page)
    assert code_in(text_of(by_code))
    assert "/changes/" not in json.dumps(by_code)


async def test_no_code_is_offered_for_what_cannot_be_undone() -> None:
    barns = Toolset("barns", "Take down barns.")

    async def _shown() -> Preview:
        """What stands there."""
        return Preview(what="The barn", undo=never("it is gone"))

    @barns.tool(Access.DESTROY, previewed=_shown)
    async def burn_barn() -> str:
        """Burn the barn."""
        return "burnt"

    caller = Caller(new_endpoint(toolsets=[barns], approvals=approving(page=None, lacking="Set this.")), "all")
    told = await caller.told("burn_barn", confirm="00000000")
    assert told.endswith("A person must approve this change. Set this.")
