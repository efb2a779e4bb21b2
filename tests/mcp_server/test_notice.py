"""A sentence of the operator that stands first in every answer."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mcp_server.calls.notice import Notice
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from mcp_server.protocol.results import CallResult, text
from tests.mcp_server.caller import Caller, Era, code_in, post
from tests.mcp_server.endpoints import new_endpoint

SENTENCE = "Everything here is invented."


@pytest.fixture
def noticed() -> Endpoint:
    return new_endpoint(notice=SENTENCE)


@pytest.fixture
def everything(noticed: Endpoint, era: Era) -> Caller:
    return Caller(noticed, "all", era=era)


async def test_data_begins_with_the_sentence_as_text_and_as_structure(everything: Caller) -> None:
    result = await everything.call("find_notes", words="tea", limit=1)
    assert next(iter(result["structuredContent"].items())) == ("notice", SENTENCE)
    assert result["content"] == [
        {"type": "text", "text": json.dumps(result["structuredContent"], separators=(",", ":"))}
    ]


async def test_text_comes_after_the_sentence(everything: Caller) -> None:
    told = await everything.call("brick_up_door", room="attic")
    result = await everything.call("brick_up_door", room="attic", confirm=code_in(told["content"][0]["text"]))
    assert [part["text"] for part in result["content"]] == [SENTENCE, "attic is gone"]


async def test_a_refusal_comes_before_the_sentence_and_stays_one(everything: Caller) -> None:
    result = await everything.call("find_notes")
    assert result["isError"]
    told = [part["text"] for part in result["content"]]
    assert "words: is required" in told[0]
    assert told[1] == SENTENCE


async def test_whatever_goes_through_azure_says_it_once(noticed: Endpoint, era: Era) -> None:
    caller = Caller(noticed, era=era)
    learned = await caller.call("azure", learn=True)
    called = await caller.call("azure", tool="office-notes", command="find_notes", parameters={"words": "tea"})
    for result in (learned, called):
        assert result["structuredContent"]["notice"] == SENTENCE
        assert result["content"][0]["text"].count(SENTENCE) == 1


@pytest.mark.parametrize("select", ["result[0].text", "result[*].id", "{one: result[0]}", "missing"])
async def test_no_selection_takes_it_away(noticed: Endpoint, era: Era, select: str) -> None:
    chosen = {"tool": "office-notes", "command": "find_notes", "parameters": {"words": "tea"}, "select": select}
    result = await Caller(noticed, era=era).call("azure", **chosen)
    assert not result["isError"], result
    assert SENTENCE in result["content"][0]["text"]
    assert SENTENCE in str(result.get("structuredContent", SENTENCE))


async def test_a_prompt_and_a_resource_say_it_first(everything: Caller) -> None:
    prompts = (await everything.result("prompts/list"))["prompts"]
    required = {argument["name"]: "tea" for argument in prompts[0]["arguments"] if argument["required"]}
    prompt = await everything.result("prompts/get", {"name": prompts[0]["name"], "arguments": required})
    assert prompt["messages"][0]["content"]["text"] == SENTENCE
    resources = (await everything.result("resources/list"))["resources"]
    read = await everything.result("resources/read", {"uri": resources[0]["uri"]})
    assert json.loads(read["contents"][0]["text"]) == {"notice": SENTENCE, "pens": 2}


async def test_the_instructions_say_it_first(everything: Caller, era: Era) -> None:
    method, params = ("server/discover", None) if era == "2026-07-28" else ("initialize", _INTRODUCTION)
    assert (await everything.result(method, params))["instructions"] == f"{SENTENCE}\n\nAn office."


_INTRODUCTION = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


async def test_it_comes_over_plain_http_too(noticed: Endpoint) -> None:
    body = json.dumps({"tool": "find_notes", "arguments": {"words": "tea"}}).encode()
    answer = await rest.execute(noticed, replace(post(body), path="/tools/execute"))
    assert json.loads(answer.body)["result"]["notice"] == SENTENCE


async def test_without_it_answers_are_as_they_are(era: Era) -> None:
    result = await Caller(new_endpoint(), "all", era=era).call("find_notes", words="tea")
    assert "notice" not in result["structuredContent"]


def test_it_is_told_together_with_the_notice_of_an_answer() -> None:
    document = {"rows": [1], "notice": "Texts are data."}
    answer = CallResult([text('{"rows":[1],"notice":"Texts are data."}')], document)
    given = Notice(SENTENCE).before_result(answer)
    assert given.structured_content == {"notice": f"{SENTENCE} Texts are data.", "rows": [1]}
    assert document == {"rows": [1], "notice": "Texts are data."}


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        ({"uri": "x:y", "text": "# Tea", "mimeType": "text/markdown"}, f"{SENTENCE}\n\n# Tea"),
        ({"uri": "x:y", "text": "a,b", "mimeType": "text/csv"}, "a,b"),
        ({"uri": "x:y", "text": DEEP, "mimeType": "application/json"}, DEEP),
    ],
)
def test_a_text_that_is_read_has_it_where_it_harms_nothing(contents: dict[str, str], told: str) -> None:
    (read,) = Notice(SENTENCE).before_contents([contents])
    assert read["text"] == told


def test_bytes_and_what_is_written_back_stay_as_they_are() -> None:
    picture = {"uri": "x:y", "blob": "AAAA"}
    draft = {"uri": "x:y", "text": "{}", "_meta": {"etag": "1"}}
    given = Notice(SENTENCE).before_contents([picture, draft])
    assert given == [picture, {**draft, "_meta": {"notice": SENTENCE, "etag": "1"}}]
