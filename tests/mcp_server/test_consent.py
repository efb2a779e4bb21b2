"""A tool that destroys something asks first, in the way that the client can answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY
from pydantic import Field

from identity.access import Access
from mcp_server.catalog.narrowing import asked_by_form, unasked
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import LEGACY, MODERN, Caller, Era, Json, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.office import TOOLSETS
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


def accepted(name: Any) -> Json:
    return {"action": "accept", "content": {"confirm": name}}


def text_of(result: Json) -> str:
    text: str = result["content"][0]["text"]
    return text


@pytest.mark.parametrize("capability", [{}, {"form": {}}, {"form": {}, "url": {}}])
async def test_a_client_that_shows_forms_is_asked_and_goes_on(everything: Caller, capability: Json) -> None:
    person = Person(everything, capability)
    form, state = await person.asked({"room": "attic"})
    assert "'attic' will be gone" in form["message"]
    assert list(form["requestedSchema"]["properties"]) == form["requestedSchema"]["required"] == ["confirm"]
    assert (await person.answered({"room": "attic"}, state, accepted("attic")))["content"] == GONE


@pytest.mark.parametrize(
    "response",
    [
        {"action": "accept"},
        {"action": "accept", "content": {}},
        accepted(""),
        accepted("cellar"),
        accepted("Attic"),
        accepted(True),
        accepted(["attic"]),
        {"action": "accept", "content": {"other": "attic"}},
        {"action": "decline", "content": {"confirm": "attic"}},
        {"action": "cancel"},
        {"action": "decline"},
    ],
)
async def test_anything_but_the_name_of_what_goes_is_a_no(person: Person, response: Json) -> None:
    _, state = await person.asked({"room": "attic"})
    result = await person.answered({"room": "attic"}, state, response)
    assert result["isError"]
    assert "nothing was done" in text_of(result)


async def test_the_answer_to_one_question_is_none_to_another(person: Person) -> None:
    _, state = await person.asked({"room": "attic"})
    sent = await person.send({"room": "cellar"}, inputResponses={"consent": accepted("cellar")}, requestState=state)
    assert sent["error"]["code"] == -32602


async def test_an_answer_without_its_question_is_asked_for_again(person: Person) -> None:
    result = await person.answered({"room": "attic"}, None, accepted("attic"))
    assert result["resultType"] == "input_required"


async def test_the_answer_of_one_caller_is_none_of_another() -> None:
    endpoint = new_endpoint(door=office_door())
    eve, mallory = (Person(Caller(endpoint, "all", {"x-who": f"{name} Janitor"})) for name in ("eve", "mallory"))
    _, state = await eve.asked({"room": "attic"})
    stolen = await mallory.send({"room": "attic"}, inputResponses={"consent": accepted("attic")}, requestState=state)
    assert stolen["error"]["code"] == -32602
    assert (await eve.answered({"room": "attic"}, state, accepted("attic")))["content"] == GONE


async def test_a_model_that_confirms_by_itself_does_not_spare_the_user_the_question(person: Person) -> None:
    await person.asked({"room": "attic", "confirm": "attic"})


async def test_a_learned_call_asks_too(person: Person) -> None:
    arguments = {"tool": "office-doors", "command": "brick_up_door", "parameters": {"room": "attic"}}
    person = replace(person, caller=Caller(person.caller.endpoint))
    _, state = await person.asked(arguments, "azure")
    assert (await person.answered(arguments, state, accepted("attic"), tool="azure"))["content"] == GONE


async def test_a_client_that_cannot_be_asked_repeats_the_name(endpoint: Endpoint, era: Era) -> None:
    caller = Caller(endpoint, "all", era=era)
    told = await caller.told("brick_up_door", room="attic")
    assert told.startswith("brick_up_door destroys 'attic'; nothing was done. Ask the user.")
    assert "confirm has to repeat the value of room" in await caller.told("brick_up_door", room="attic", confirm="x")
    assert (await caller.call("brick_up_door", room="attic", confirm="attic"))["content"] == GONE


async def test_a_client_of_the_handshake_cannot_go_on_and_is_not_asked(endpoint: Endpoint) -> None:
    person = Person(Caller(endpoint, "all", era=LEGACY))
    result = (await person.send({"room": "attic"}))["result"]
    assert result["isError"]


async def test_a_client_that_only_opens_pages_is_not_asked_by_a_form(everything: Caller) -> None:
    result = (await Person(everything, {"url": {}}).send({"room": "attic"}))["result"]
    assert result["isError"]


async def test_wrong_arguments_are_told_before_anybody_is_asked(person: Person) -> None:
    result = (await person.send({"room": 7}))["result"]
    assert "room: must be text" in text_of(result)


perils = Toolset("perils", "Destroy by number.")


@perils.tool(Access.DESTROY, confirm="number", harmless=["number", "thoroughly"])
async def shred(
    number: Annotated[int, Field(description="Which")],
    thoroughly: Annotated[bool, Field(description="Not to be put together again")] = False,
) -> str:
    """Shred a paper."""
    return f"{number} is gone"


@pytest.fixture
def shredder() -> Caller:
    return Caller(new_endpoint(toolsets=[perils]), "all")


async def test_asked_is_for_what_the_tool_will_be_given_and_for_how_much_of_it(shredder: Caller) -> None:
    form, _ = await Person(shredder).asked({"number": "1_000", "thoroughly": True}, "shred")
    assert form["message"] == "Shred (thoroughly: 'True'): '1000' will be gone. To agree, repeat '1000'."


async def test_a_client_that_cannot_be_asked_is_told_all_of_it_too(shredder: Caller) -> None:
    told = await shredder.told("shred", number=1, thoroughly=True)
    assert told.startswith("shred (thoroughly: 'True') destroys '1'; nothing was done.")


@pytest.mark.parametrize("confirm", [True, [1], {"a": 1}, 1.0, "True", "01", " 1"])
async def test_a_value_that_only_looks_alike_confirms_nothing(shredder: Caller, confirm: Json) -> None:
    assert "nothing was done" in await shredder.told("shred", number=1, confirm=confirm)


@pytest.mark.parametrize("confirm", [1, "1"])
async def test_a_number_is_confirmed_as_text_or_as_a_number(shredder: Caller, confirm: Json) -> None:
    assert (await shredder.call("shred", number=1, confirm=confirm))["content"][0]["text"] == "1 is gone"


async def test_what_has_no_name_cannot_be_confirmed(endpoint: Endpoint) -> None:
    assert "nothing was done" in await Caller(endpoint, "all").told("brick_up_door", room="", confirm="")


async def test_a_setting_may_waive_it() -> None:
    caller = Caller(new_endpoint(toolsets=unasked(TOOLSETS, ["office"])), "all", era=MODERN)
    assert (await caller.call("brick_up_door", room="attic"))["content"] == GONE
    assert "there is no such parameter" in await caller.told("brick_up_door", room="attic", confirm="attic")


def by_form_only() -> Caller:
    return Caller(new_endpoint(toolsets=asked_by_form(TOOLSETS)), "all")


async def test_where_only_forms_count_no_other_client_destroys_anything(era: Era) -> None:
    caller = replace(by_form_only(), era=era)
    for arguments in ({"room": "attic"}, {"room": "attic", "confirm": "attic"}):
        told = await caller.told("brick_up_door", **arguments)
        assert told.startswith("brick_up_door destroys 'attic'; nothing was done. On this server a person has to agree")
    learned = {"tool": "office-doors", "command": "brick_up_door", "parameters": {"room": "attic", "confirm": "attic"}}
    told = await Caller(caller.endpoint, era=era).told("azure", **learned)
    assert "nothing was done" in told


async def test_where_only_forms_count_plain_http_destroys_nothing() -> None:
    body = json.dumps({"tool": "brick_up_door", "arguments": {"room": "attic", "confirm": "attic"}}).encode()
    answer = await rest.execute(by_form_only().endpoint, post(body))
    assert answer.status == 422


async def test_where_only_forms_count_a_person_is_asked_as_ever() -> None:
    person = Person(by_form_only())
    _, state = await person.asked({"room": "attic"})
    assert (await person.answered({"room": "attic"}, state, accepted("attic")))["content"] == GONE


async def test_where_only_forms_count_no_tool_takes_a_confirmation() -> None:
    listed = (await by_form_only().result("tools/list"))["tools"]
    assert [tool["name"] for tool in listed if "confirm" in tool["inputSchema"]["properties"]] == []
