"""Attacks through `azure` and `azure_change`, which reach every other tool: nested, of odd types, hidden ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.attacks.office import HIDDEN, called, reaches_nothing_hidden, visitor
from tests.attacks.place import LARGEST_REFUSAL, gains_nothing, tells_nothing_of_the_inside
from tests.mcp_server.caller import Caller, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.records import Records

pytestmark = pytest.mark.anyio

BRICKS = {"room": "attic", "confirm": "attic"}
CALL = {"tool": "office-doors", "command": "brick_up_door", "parameters": BRICKS}


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = CALL
    for _ in range(depth):
        inner = {"tool": "azure", "command": "azure", "parameters": inner}
    return inner


CALLS: dict[str, Any] = {
    "as it is": CALL,
    "in another spelling": {**CALL, "tool": "OFFICE_DOORS", "command": "Brick-Up-Door"},
    "by its longer name": {**CALL, "command": "office_doors_brick_up_door"},
    "as a command of another": {**CALL, "tool": "office-notes"},
    "as a command of azure": {**CALL, "tool": "azure"},
    "through itself": nested(1),
    "through itself, thirty times": nested(30),
    "with a wish to explain that is text": {**CALL, "learn": "false"},
    "with a wish to explain that is a number": {**CALL, "learn": 0},
    "with a wish to explain that is off": {**CALL, "learn": "off"},
    "with a wish to explain that is null": {**CALL, "learn": None},
    "with an intent beside it": {**CALL, "intent": "find notes"},
    "with parameters as text": {**CALL, "parameters": json.dumps(BRICKS)},
    "with parameters as a list": {**CALL, "parameters": [["room", "attic"]]},
    "with a tool as a list": {**CALL, "tool": ["office-doors"]},
    "with a tool as an object": {**CALL, "tool": {"name": "office-doors"}},
    "with a command as a number": {**CALL, "command": 7},
    "with a command of blanks": {**CALL, "command": " brick_up_door "},
    "with a nul": {**CALL, "command": "brick_up_door\u0000"},
    "with a letter of no width": {**CALL, "command": "brick_up_door\u200b"},
    "with half a character": {**CALL, "tool": "\ud800"},
    "with wide letters": {**CALL, "tool": "\uff4fffice-doors"},
    "with a dotless letter that folds": {**CALL, "command": "br\u0130ck_up_door"},
    "with a sharp letter that folds": {**CALL, "tool": "office-door\u017f"},
    "in a group": {**CALL, "tool": "office"},
    "in all": {**CALL, "tool": "all"},
    "with an argument that is none": {**CALL, "grants": "all"},
    "with the language's own": {**CALL, "__class__": "x"},
    "with a view of one's own": {**CALL, "view": {"grants": "unlimited"}},
}


@pytest.mark.parametrize("arguments", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("way", ["azure", "azure_change"])
@pytest.mark.parametrize("role", ["Visitor", "Clerk"])
async def test_what_is_not_granted_is_not_called_in_any_form(arguments: Any, way: str, role: str) -> None:
    answer = await called(visitor(None, role), way, arguments)
    gains_nothing(answer, 200, 400, 403)
    assert b"is gone" not in answer.body
    assert answer.status == 403 or b'"isError":true' in answer.body or b'"error"' in answer.body


@pytest.mark.parametrize("arguments", CALLS.values(), ids=CALLS)
async def test_what_reads_destroys_nothing_in_any_form_for_whoever_may(arguments: Any) -> None:
    answer = await called(visitor(None, "Janitor"), "azure", arguments)
    gains_nothing(answer, 200, 400)
    assert b"is gone" not in answer.body


LESSONS: dict[str, Any] = {
    "of all": {"learn": True},
    "of all, by text": {"learn": "true"},
    "of what is hidden": {"learn": True, "tool": "office-doors"},
    "of a command that is hidden": {"learn": True, "tool": "office-doors", "command": "brick_up_door"},
    "of a command by another tool": {"learn": True, "tool": "office-notes", "command": "brick_up_door"},
    "of a command alone": {"learn": True, "command": "brick_up_door"},
    "of a command that is written a little wrong": {"learn": True, "tool": "office-notes", "command": "brick_up_dor"},
    "of a tool that is written a little wrong": {"learn": True, "tool": "office-dors"},
    "of a command with its call": {"learn": True, **CALL},
    "by an intent": {"intent": "brick up the door of a room for ever"},
    "by an intent of all words": {"intent": "open door brick room key wall write note desk " * 50},
    "of azure": {"learn": True, "tool": "azure"},
    "of azure's command": {"learn": True, "tool": "azure", "command": "azure"},
}


@pytest.mark.parametrize("arguments", LESSONS.values(), ids=LESSONS)
async def test_what_is_hidden_is_not_taught(arguments: Any) -> None:
    answer = await called(visitor(None), "azure", arguments)
    assert answer.status in {200, 403}
    tells_nothing_of_the_inside(answer)
    echoed = json.dumps(arguments)
    assert [name for name in HIDDEN if name in answer.body and name.decode() not in echoed] == []
    assert b"Which room" not in answer.body
    assert b"for ever" not in answer.body


async def test_what_is_hidden_and_what_is_not_there_are_refused_alike() -> None:
    """Else a caller could ask for names until one is answered in another way."""
    hidden = await called(visitor(None), "azure", {"learn": True, "tool": "office-doors"})
    absent = await called(visitor(None), "azure", {"learn": True, "tool": "office-caves"})
    assert hidden.status == absent.status
    assert hidden.body.replace(b"office-doors", b"office-caves") == absent.body


LARGE: dict[str, Any] = {
    "an intent of a megabyte": {"intent": "brick " * 170_000},
    "an intent of one word of a megabyte": {"intent": "b" * 1_000_000},
    "an intent of signs": {"intent": "(" * 500_000},
    "a tool of a megabyte": {"tool": "o" * 1_000_000, "command": "x"},
    "a command of a megabyte": {"tool": "office-notes", "command": "w" * 1_000_000},
    "a command of signs that are written out": {"command": "\u0001" * 300_000},
    "a hundred thousand parameters": {
        "tool": "office-notes",
        "command": "find_notes",
        "parameters": {f"p{number}": 1 for number in range(100_000)},
    },
    "a hundred thousand arguments": {f"p{number}": 1 for number in range(100_000)},
    "parameters of a megabyte of text": {"tool": "clock", "command": "what_time", "parameters": "[" * 1_000_000},
    "parameters of nested text": {"tool": "clock", "command": "what_time", "parameters": '{"a":' * 100_000},
}


@pytest.mark.parametrize("arguments", LARGE.values(), ids=LARGE)
@pytest.mark.parametrize("way", ["azure", "azure_change"])
async def test_a_large_wish_gets_a_small_answer(arguments: Any, way: str) -> None:
    answer = await called(visitor(None, "Clerk"), way, arguments)
    gains_nothing(answer, 200, 400, 413, largest=LARGEST_REFUSAL)


TWICE = {
    "the tool": '"tool":"clock","command":"brick_up_door","parameters":{},"tool":"office-doors"',
    "the command": '"tool":"office-doors","command":"x","command":"brick_up_door","parameters":{}',
    "the wish to explain": '"learn":true,"tool":"office-doors","command":"brick_up_door","learn":false',
    "the parameters": '"tool":"office-doors","command":"brick_up_door","parameters":{},"parameters":{"room":"a"}',
    "the tool by an escape": '"tool":"clock","t\\u006fol":"office-doors","command":"brick_up_door"',
}


@pytest.mark.parametrize("inside", TWICE.values(), ids=TWICE)
async def test_what_is_said_twice_is_read_once(inside: str, records: Records) -> None:
    """The record and the call must not each read another of the two."""
    text = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"azure","arguments":{{{inside}}}}}}}'
    headers = {"x-who": "eve Visitor", "mcp-protocol-version": "2025-11-25"}
    answer = await visitor(None).endpoint.handle(post(text.encode(), headers), None)
    reaches_nothing_hidden_but_its_name(answer.body)
    assert answer.status in {200, 403}
    assert [record["outcome"] for record in records.all] in (["denied"], ["refused"])


def reaches_nothing_hidden_but_its_name(body: bytes) -> None:
    assert b"is gone" not in body
    assert b"Which room" not in body


CONFIRMED: dict[str, Any] = {
    "nothing": {"room": "attic"},
    "another name": {"room": "attic", "confirm": "cellar"},
    "another case": {"room": "attic", "confirm": "ATTIC"},
    "a blank more": {"room": "attic", "confirm": "attic "},
    "true": {"room": "attic", "confirm": True},
    "a list": {"room": "attic", "confirm": ["attic"]},
    "null": {"room": "attic", "confirm": None},
    "a star": {"room": "attic", "confirm": "*"},
    "the name of the tool": {"room": "attic", "confirm": "brick_up_door"},
    "letters that look the same": {"room": "attic", "confirm": "\u0430ttic"},
    "the name beside another key": {"room": "attic", "Confirm": "attic"},
}


@pytest.mark.parametrize("arguments", CONFIRMED.values(), ids=CONFIRMED)
@pytest.mark.parametrize("way", ["direct", "learned"])
async def test_nothing_is_destroyed_by_half_a_confirmation(arguments: Any, way: str) -> None:
    caller = Caller(new_endpoint(), "all" if way == "direct" else None)
    name, given = (
        ("brick_up_door", arguments) if way == "direct" else ("azure_change", {**CALL, "parameters": arguments})
    )
    answer = await called(caller, name, given)
    gains_nothing(answer, 200)
    assert b"is gone" not in answer.body


async def test_azure_that_is_chosen_with_one_tool_reaches_no_other() -> None:
    caller = visitor("all", role="Janitor", x_mcp_tools="azure,find_notes")
    reaches_nothing_hidden(await called(caller, "azure", {"learn": True}), 200)
    for way in ("azure", "azure_change"):
        assert b"is gone" not in (await called(caller, way, CALL)).body
