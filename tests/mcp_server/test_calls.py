"""What a call gives back, and how its failures are told."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Annotated

import pytest
from pydantic import Field

from mcp_server.declarations.toolset import Access, Toolset
from mcp_server.http.endpoint import Endpoint
from tests.mcp_server import office
from tests.mcp_server.caller import LEGACY, MODERN, Caller, Era, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.office import SECRET


@pytest.fixture
def everything(endpoint: Endpoint, era: Era) -> Caller:
    return Caller(endpoint, "all", era=era)


async def test_data_comes_as_compact_text_and_as_structure(everything: Caller) -> None:
    result = await everything.call("find_notes", words="tea", limit=1, paper={"color": "green"})
    assert result["structuredContent"] == {"result": [{"id": 0, "text": "tea green"}]}
    assert result["content"] == [{"type": "text", "text": '{"result":[{"id":0,"text":"tea green"}]}'}]


async def test_text_comes_as_it_is(everything: Caller) -> None:
    result = await everything.agreed("brick_up_door", room="attic")
    assert result["content"] == [{"type": "text", "text": "attic is gone"}]


async def test_arguments_given_as_json_text_are_understood(everything: Caller) -> None:
    result = await everything.call("find_notes", words="tea", limit="2", paper='{"color": "green"}')
    assert result["structuredContent"]["result"][1] == {"id": 1, "text": "tea green"}


@pytest.mark.parametrize("text", ['{"a": 1}', "[1]", "null", "true", "[", '"quoted"', "words"])
async def test_a_text_that_is_json_stays_a_text(era: Era, text: str) -> None:
    desk = Toolset("desk", "Say it again.")

    @desk.tool(Access.READ)
    def echo(text: Annotated[str | None, Field(description="Anything")] = None) -> dict[str, str | None]:
        """Say it again."""
        return {"text": text}

    caller = Caller(new_endpoint(toolsets=[desk]), "all", era=era)
    assert (await caller.call("echo", text=text))["structuredContent"] == {"text": text}


async def test_a_null_is_an_argument_left_out(everything: Caller) -> None:
    left_out = await everything.call("find_notes", words="tea")
    assert await everything.call("find_notes", words="tea", limit=None, paper=None) == left_out
    assert "- words: is required" in await everything.told("find_notes", words=None)


async def test_every_wrong_argument_is_told_at_once_in_words(everything: Caller) -> None:
    told = await everything.told("find_notes", limit=99, papr={}, paper={"color": "red"})
    assert told.splitlines() == [
        "The arguments of find_notes are not valid; nothing was done.",
        "- papr: unknown parameter. Did you mean 'paper'? Valid: words, limit, paper.",
        "- words: is required (What the note says).",
        "- limit: must be less than or equal to 10.",
        "- paper.color: must be 'yellow' or 'green'.",
    ]


async def test_a_value_of_the_wrong_form_is_told_by_what_it_should_be(everything: Caller) -> None:
    assert "- text: has an invalid format (Lower-case words)." in await everything.told("write_note", text="NO")


async def test_what_a_tool_refuses_is_told_as_it_says_it(everything: Caller) -> None:
    told = await everything.told("write_note", text="forbidden")
    assert told == "That word is not written here. Write `allowed` instead."


@pytest.mark.parametrize("arguments", [{"text": SECRET}, {"token": SECRET}, {SECRET[:3]: SECRET}])
async def test_an_invalid_value_is_not_repeated(everything: Caller, arguments: dict[str, str]) -> None:
    assert SECRET not in await everything.told("write_note", **arguments)


async def test_a_defect_is_told_by_an_id_that_the_log_explains(
    everything: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    told = await everything.told("break_pencil", token=SECRET)
    assert "pencil snapped" not in told
    assert SECRET not in told
    incident = told.partition("Incident ")[2].partition(";")[0]
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert incident in record.getMessage()
    assert record.exc_info is not None


async def test_an_unknown_tool_is_a_protocol_error_with_the_nearest_name(everything: Caller) -> None:
    error = await everything.error("tools/call", {"name": "find_note", "arguments": {}})
    assert error["code"] == -32602
    assert "'find_notes'" in error["message"]


async def test_progress_is_streamed_to_those_who_ask(endpoint: Endpoint, era: Era) -> None:
    call = {"name": "open_door", "arguments": {"room": "hall"}, "_meta": {"progressToken": "p1"}}
    answer = await endpoint.handle(message("tools/call", call, era), "all")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [json.loads(line[6:]) for line in answer.body.decode().splitlines() if line.startswith("data: {")]
    assert events[0]["params"] == {"progressToken": "p1", "progress": 1, "total": 2, "message": "turning the key"}
    assert events[-1]["result"]["content"][0]["text"] == "hall is open"


async def test_without_a_stream_to_read_the_answer_is_json(endpoint: Endpoint, era: Era) -> None:
    call = {"name": "open_door", "arguments": {"room": "hall"}, "_meta": {"progressToken": "p1"}}
    answer = await endpoint.handle(message("tools/call", call, era, {"accept": "application/json"}), "all")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body)["result"]["content"][0]["text"] == "hall is open"


@pytest.mark.parametrize("header", ["mcp-method", "mcp-name"])
async def test_a_routing_header_that_contradicts_the_body_is_refused(endpoint: Endpoint, header: str) -> None:
    call = message("tools/call", {"name": "what_time", "arguments": {}}, MODERN, {header: "other"})
    answer = await endpoint.handle(call, "all")
    assert answer.status == 400
    assert json.loads(answer.body)["error"]["code"] == -32020


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"words": 5}, "words: must be text (What the note says)."),
        ({"words": "x", "paper": []}, "paper: must be an object (What it is written on)."),
        ({"words": "x", "limit": "many"}, "limit: must be a whole number (The most notes to give back)."),
        ({"words": "x", "limit": 1.5}, "limit: must be a whole number (The most notes to give back)."),
    ],
)
async def test_a_value_of_the_wrong_type_is_told_in_the_words_of_json(
    everything: Caller, arguments: dict[str, object], told: str
) -> None:
    assert told in await everything.told("find_notes", **arguments)


async def test_a_text_that_stands_for_no_characters_is_refused(endpoint: Endpoint, era: Era) -> None:
    call = message("tools/call", {"name": "find_notes", "arguments": {"words": "HALF"}}, era)
    half = replace(call, body=call.body.replace(b"HALF", rb"\ud800"))
    answer = await endpoint.handle(half, "all")
    if era == LEGACY:  # in which the SDK refuses such a body as a whole
        assert answer.status == 400
    else:
        assert "half of a surrogate pair" in json.loads(answer.body)["result"]["content"][0]["text"]


async def test_half_a_character_within_json_text_cannot_spoil_the_answer(endpoint: Endpoint, era: Era) -> None:
    parameters = {"tool": "office-notes", "command": "find_notes", "parameters": '{"\\ud800": 1}'}
    call = message("tools/call", {"name": "azure", "arguments": parameters}, era)
    answer = await endpoint.handle(call)
    assert answer.status == 200
    assert json.loads(answer.body)["result"]["isError"]


@pytest.fixture
def mishaps(era: Era) -> Caller:
    return Caller(new_endpoint(toolsets=[office.mishaps]), "all", era=era)


async def test_a_defect_that_looks_like_bad_arguments_is_still_a_defect(
    mishaps: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    told = await mishaps.told("misread_letter")
    assert "Incident" in told
    assert "nothing was done" not in told
    assert any(record.exc_info for record in caplog.records)


async def test_a_result_that_is_not_what_was_promised_is_a_defect(mishaps: Caller) -> None:
    assert "Incident" in await mishaps.told("break_promise")


@pytest.mark.parametrize("body", [b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"hunter2"}', b"[1]"])
async def test_a_bad_envelope_is_told_without_the_values_it_holds(endpoint: Endpoint, body: bytes) -> None:
    answer = await endpoint.handle(post(body, {"mcp-protocol-version": "2025-11-25"}))
    assert answer.status == 400
    assert b"hunter2" not in answer.body
    assert b"pydantic" not in answer.body
