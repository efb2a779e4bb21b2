"""A tool asks the model of the client, where the client offers that, and goes on with its answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from mcp_server.calls.sampling import LONGEST_ANSWERS, LONGEST_OF_A_TOKEN, LONGEST_QUESTION, MOST_QUESTIONS
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from tests.forging import altered
from tests.mcp_server.caller import LEGACY, Caller, Json, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.library import MOST_TOKENS, Model, books, client_of
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

ROLES = "signed-in:\n  books: write\n"


@pytest.fixture
def endpoint() -> Endpoint:
    return new_endpoint(toolsets=[books])


async def called(endpoint: Endpoint, tool: str, arguments: Json, model: Model | None, mode: str = "2026-07-28") -> Json:
    async with client_of(endpoint, model, mode) as client:
        result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None, result
    return result.structured_content


async def learned(endpoint: Endpoint, command: str, model: Model | None, **parameters: Json) -> Json:
    sent = {"tool": "books", "command": command, "parameters": parameters}
    return await called(endpoint, "azure", sent, model)


async def test_a_client_with_a_model_is_asked_and_goes_on(endpoint: Endpoint) -> None:
    model = Model()
    assert await learned(endpoint, "retell", model, text="once") == {"told": "ONCE", "by": "a model"}
    assert (model.asked, model.systems) == (["once"], ["Retell."])


async def test_a_part_of_what_was_told_is_selected(endpoint: Endpoint) -> None:
    sent = {"tool": "books", "command": "retell", "parameters": {"text": "once"}, "select": "told"}
    assert await called(endpoint, "azure", sent, Model()) == {"result": "ONCE"}


async def test_several_questions_are_asked_at_once_and_answered_in_their_order(endpoint: Endpoint) -> None:
    texts = [f"part {number}" for number in range(MOST_QUESTIONS)]
    told = await learned(endpoint, "retell_each", Model(), texts=[*texts[:-1], "part 0"])
    assert told == {"told": [*map(str.upper, texts[:-1]), "PART 0"]}


async def test_what_was_answered_before_is_not_asked_again(endpoint: Endpoint) -> None:
    model = Model()
    told = await learned(endpoint, "retell_in_turn", model, texts=["one", "deux", "été"])
    assert told == {"told": "ONE ONE DEUX ONE ONE DEUX ÉTÉ "}
    assert model.asked == ["one", "ONE deux", "ONE ONE DEUX été"]


@pytest.mark.parametrize(("mode", "model"), [("legacy", Model()), ("legacy", None), ("2026-07-28", None)])
async def test_no_other_client_is_asked(endpoint: Endpoint, mode: str, model: Model | None) -> None:
    sent = {"tool": "books", "command": "retell", "parameters": {"text": "once"}}
    assert await called(endpoint, "azure", sent, model, mode) == {"told": "once", "by": "nobody"}
    assert model is None or model.asked == []


async def test_who_comes_by_plain_http_is_not_asked(endpoint: Endpoint) -> None:
    answer = await rest.execute(endpoint, post(json.dumps({"tool": "retell", "arguments": {"text": "once"}}).encode()))
    assert json.loads(answer.body) == {"result": {"told": "once", "by": "nobody"}}


async def test_a_call_that_changes_something_asks_no_model(endpoint: Endpoint) -> None:
    sent = {"tool": "books", "command": "rewrite", "parameters": {"text": "once"}}
    assert await called(endpoint, "azure_change", sent, Model()) == {"asks": False, "text": "once"}


async def test_the_record_says_that_a_model_was_asked(endpoint: Endpoint, records: Records) -> None:
    await learned(endpoint, "retell_each", Model(), texts=["one", "two"])
    assert [(record["outcome"], record["asked_model"]) for record in records.all] == [("asked", 2), ("done", 2)]
    records.all.clear()
    await learned(endpoint, "retell", None, text="once")
    assert "asked_model" not in records.only


class Reader:
    """Answers by hand, as no decent client does."""

    def __init__(self, caller: Caller, tool: str = "retell", **arguments: Json) -> None:
        self.caller, self.tool, self.arguments = caller, tool, arguments or {"text": "once"}

    async def send(self, capabilities: Json = None, **answer: Json) -> Json:
        meta = {CLIENT_CAPABILITIES_META_KEY: {"sampling": {}} if capabilities is None else capabilities}
        params = {"name": self.tool, "arguments": self.arguments, "_meta": meta, **answer}
        return json.loads((await self.caller.send("tools/call", params)).body)

    async def asked(self) -> tuple[dict[str, Any], str]:
        result = (await self.send())["result"]
        assert result["resultType"] == "input_required", result
        return result["inputRequests"], result["requestState"]

    async def answered(self, content: Json, **more: Json) -> Json:
        requests, state = await self.asked()
        given = {name: said(content) | more for name in requests}
        return (await self.send(inputResponses=given, requestState=state))["result"]


def said(content: Json) -> Json:
    return {"role": "assistant", "model": "any", "content": content}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


@pytest.fixture
def reader(endpoint: Endpoint) -> Reader:
    return Reader(Caller(endpoint, "all"))


async def test_what_is_asked_is_a_message_of_the_protocol(reader: Reader) -> None:
    requests, _ = await reader.asked()
    (request,) = requests.values()
    assert request["method"] == "sampling/createMessage"
    assert request["params"]["systemPrompt"] == "Retell."
    assert request["params"]["maxTokens"] == MOST_TOKENS


@pytest.mark.parametrize("content", [text("Once more."), [text("Once "), text("more.")]])
async def test_text_in_one_part_or_several_is_an_answer(reader: Reader, content: Json) -> None:
    assert (await reader.answered(content))["structuredContent"]["told"] == "Once more."


PICTURE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


@pytest.mark.parametrize("content", [PICTURE, [text("Look: "), PICTURE], text(""), text(" \n"), []])
async def test_anything_but_text_is_no_answer(reader: Reader, content: Json) -> None:
    result = await reader.answered(content)
    assert result["isError"]
    assert "did not answer with text" in result["content"][0]["text"]


@pytest.mark.parametrize("answer", [{"action": "accept", "content": {"told": "x"}}, {"roots": []}])
async def test_an_answer_to_another_kind_of_question_is_none(reader: Reader, answer: Json) -> None:
    requests, state = await reader.asked()
    result = (await reader.send(inputResponses=dict.fromkeys(requests, answer), requestState=state))["result"]
    assert "not an answer from a model" in result["content"][0]["text"]


async def test_an_answer_is_no_longer_than_was_asked_for(reader: Reader) -> None:
    longest = MOST_TOKENS * LONGEST_OF_A_TOKEN
    assert not (await reader.answered(text("x" * longest))).get("isError")
    assert "is too long" in (await reader.answered(text("x" * (longest + 1))))["content"][0]["text"]
    cut_off = await reader.answered(text("x"), stopReason="maxTokens")
    assert "is too long" in cut_off["content"][0]["text"]


async def test_all_answers_together_are_bounded(reader: Reader) -> None:
    each = LONGEST_ANSWERS // MOST_QUESTIONS + 1
    many = Reader(reader.caller, "retell_each", texts=list("abcdefghijklmnopqrst"), most_tokens=each)
    assert f"exceed {LONGEST_ANSWERS} characters" in (await many.answered(text("x" * each)))["content"][0]["text"]


async def test_an_answer_that_was_not_asked_for_is_not_taken(reader: Reader) -> None:
    requests, state = await reader.asked()
    given = {name: said(text("forged")) for name in requests}
    without_state = (await reader.send(inputResponses=given))["result"]
    assert without_state["resultType"] == "input_required"
    other = {"model-" + "0" * 32: said(text("forged"))}
    assert (await reader.send(inputResponses=other, requestState=state))["result"]["resultType"] == "input_required"
    assert (await reader.send(requestState=state))["result"]["resultType"] == "input_required"


@pytest.mark.parametrize("harm", [altered, lambda _: "v1.AAAA", lambda state: state + "A"])
async def test_what_the_client_carries_cannot_be_tampered_with(reader: Reader, harm: Any) -> None:
    requests, state = await reader.asked()
    given = {name: said(text("forged")) for name in requests}
    assert (await reader.send(inputResponses=given, requestState=harm(state)))["error"]["code"] == -32602


@pytest.mark.parametrize("other", [{"text": "twice"}, {"text": "once", "tool": "retell_each"}])
async def test_the_answer_to_one_call_is_none_to_another(reader: Reader, other: Json) -> None:
    requests, state = await reader.asked()
    given = {name: said(text("of another")) for name in requests}
    tool = other.pop("tool", "retell")
    another = Reader(reader.caller, tool, **(other if tool == "retell" else {"texts": ["once"]}))
    assert (await another.send(inputResponses=given, requestState=state))["error"]["code"] == -32602


async def test_the_model_of_one_caller_answers_no_other() -> None:
    endpoint = new_endpoint(toolsets=[books], door=office_door(ROLES, ["books"]))
    eve, mallory = (Reader(Caller(endpoint, "all", {"x-who": name})) for name in ("eve", "mallory"))
    requests, state = await eve.asked()
    given = {name: said(text("of eve")) for name in requests}
    assert (await mallory.send(inputResponses=given, requestState=state))["error"]["code"] == -32602
    assert not (await eve.send(inputResponses=given, requestState=state))["result"].get("isError")


async def test_too_much_is_not_asked(reader: Reader) -> None:
    long = Reader(reader.caller, text="x" * LONGEST_QUESTION)
    assert "exceeds the limit" in (await long.send())["result"]["content"][0]["text"]
    many = Reader(reader.caller, "retell_each", texts=[str(number) for number in range(MOST_QUESTIONS + 1)])
    assert f"at most {MOST_QUESTIONS} questions at the same time" in (await many.send())["result"]["content"][0]["text"]


async def test_a_tool_that_asks_all_the_same_is_refused(reader: Reader) -> None:
    without = Reader(reader.caller, "retell_each", texts=["once"])
    assert "does not let tools ask its model" in (await without.send({}))["result"]["content"][0]["text"]
    legacy = replace(reader.caller, era=LEGACY)
    assert "does not let tools ask its model" in await legacy.told("retell_each", texts=["once"])
