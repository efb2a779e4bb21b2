"""Clients of the handshake versions are asked in the middle of a call, where answers can be sent in parts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from changes.preview import Preview
from changes.undo import never
from identity.access import Access
from identity.denial import Denial
from identity.door import OPEN_DOOR, Door
from mcp_server.conversation import Questions
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.conversing import SESSION, as_end_of_stream, with_session
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.mcp_server import endpoints
from tests.mcp_server.caller import LEGACY, Json, message
from tests.mcp_server.handshake_client import Client, Stream, connected, event, text_of
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

AGREED: Json = {"action": "accept", "content": {"agree": True}}
BRICKING: Json = {"name": "brick_up_door", "arguments": {"room": "attic"}}


def with_pages(door: Door = OPEN_DOOR, **more: Any) -> Endpoint:
    """At which a model cannot agree, so that whoever is not asked is told the page."""
    kept = endpoints.approving(grants_of=door.grants_of, by_argument=False)
    return endpoints.new_endpoint(door=door, approvals=kept, **more)


FORMS: Json = {"elicitation": {"form": {}}}


@pytest.mark.parametrize("capability", [{}, {"form": {}}, {"form": {}, "url": {}}])
async def test_a_client_is_asked_by_a_form_and_its_call_goes_on(capability: Json, records: Records) -> None:
    client = await connected({"elicitation": capability}, with_pages())
    calling = client.calling(BRICKING)
    question = await client.stream.question()
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"].startswith("Brick up door: The door of the attic.")
    assert (await client.answer(question, result=AGREED)).status == 202
    answer = await calling
    assert (answer.status, text_of(answer)) == (200, "attic is gone")
    assert [record["outcome"] for record in records.all] == ["asked", "done"]


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": None}, {"sampling": {}}, {"elicitation": {"url": {}}}])
async def test_no_form_for_clients_that_do_not_show_any(capabilities: Json) -> None:
    client = await connected(capabilities, with_pages())
    calling = client.calling(BRICKING)
    if "url" in (capabilities.get("elicitation") or {}):
        question = await client.stream.question()
        assert question["params"]["mode"] == "url"
        assert question["params"]["elicitationId"] == question["id"]
        await client.answer(question, result={"action": "accept"})
    assert "must approve at the URL below" in text_of(await calling)


async def test_without_a_stream_nobody_is_given_a_session_or_asked() -> None:
    client = Client(with_pages())
    params = {"protocolVersion": LEGACY, "capabilities": FORMS, "clientInfo": {"name": "c", "version": "1"}}
    begun = await client.endpoint.handle(message("initialize", params, LEGACY))
    assert SESSION not in begun.headers
    session = {SESSION: "made-up.form"}
    answer = await client.endpoint.handle(message("tools/call", BRICKING, LEGACY, session), "all")
    assert "must approve at the URL below" in text_of(answer)


@pytest.mark.parametrize("session", ["", "form", ".", "x.other", "x." + "y" * 5000, "x.FORM"])
async def test_a_session_of_elsewhere_says_nothing(session: str) -> None:
    client = Client(with_pages(), {SESSION: session})
    assert "must approve at the URL below" in text_of(await client.calling(BRICKING))


@pytest.mark.parametrize(
    "reply",
    [
        {"error": {"code": -32601, "message": "Method not found"}},
        {"result": {"action": "perhaps"}},
        {"result": None},
        {"result": {"action": "accept", "content": [1]}},
        {},
    ],
)
async def test_a_client_that_cannot_ask_after_all_is_told_the_page(reply: Json) -> None:
    client = await connected(FORMS, with_pages())
    calling = client.calling(BRICKING)
    assert (await client.answer(await client.stream.question(), **reply)).status == 202
    assert "must approve at the URL below" in text_of(await calling)


@pytest.mark.parametrize("reply", [{"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {}}])
async def test_anything_but_an_agreement_is_a_no(reply: Json) -> None:
    client = await connected(FORMS, with_pages())
    calling = client.calling(BRICKING)
    await client.answer(await client.stream.question(), result=reply)
    assert "did not agree to brick_up_door; nothing was done" in text_of(await calling)
    # And it holds for the very same call.
    assert "was denied for this call" in text_of(await client.calling(BRICKING))


async def test_nobody_else_answers_a_question() -> None:
    endpoint = with_pages(door=office_door())
    ada = await connected(FORMS, endpoint, **{"x-who": "ada Janitor"})
    bea = await connected(FORMS, endpoint, **{"x-who": "bea Janitor"})
    calling = ada.calling(BRICKING)
    question = await ada.stream.question()
    await bea.answer(question, result=AGREED)
    assert not calling.done()
    await ada.answer(question, result={"action": "decline"})
    assert "did not agree" in text_of(await calling)


async def test_an_answer_counts_once() -> None:
    client = await connected(FORMS, with_pages())
    calling = client.calling(BRICKING)
    question = await client.stream.question()
    await client.answer(question, result={"action": "decline"})
    await client.answer(question, result=AGREED)
    assert "did not agree" in text_of(await calling)
    assert (await client.answer(question, result=AGREED)).status == 202


async def test_a_question_that_nobody_answers_gives_way_to_the_page() -> None:
    endpoint = with_pages(questions=Questions(seconds_open=0.02, seconds_between_signs=0.01))
    client = await connected(FORMS, endpoint)
    answer = await client.calling(BRICKING)
    # Nobody decided, so the same change waits still.
    assert "must approve at the URL below" in text_of(answer)
    assert [await client.stream.parts.get() for _ in range(3)][1:] == [": waiting for an answer\n\n"] * 2


async def test_a_client_that_went_away_is_not_waited_for() -> None:
    client = await connected(FORMS, with_pages())
    client.stream.is_broken = True
    assert "must approve at the URL below" in text_of(await client.calling(BRICKING))


async def what_goes() -> Preview:
    return Preview(what="the vault", undo=never("it is gone"))


vault = Toolset("vault", "The vault.")


@vault.tool(Access.DESTROY, previewed=what_goes)
async def blow_up_vault() -> str:
    """Blow up the vault."""
    raise Denial("Sign in once more.", "insufficient_claims")


async def test_what_is_denied_after_the_question_still_answers_the_call() -> None:
    client = await connected(FORMS, with_pages(toolsets=[vault]))
    calling = client.calling({"name": "blow_up_vault", "arguments": {}})
    await client.answer(await client.stream.question(), result=AGREED)
    answer = await calling
    assert answer.status == 200
    document = event(answer.body.decode())
    assert (document["id"], document["error"]["message"]) == (7, "Sign in once more.")


@pytest.mark.parametrize(
    ("asked", "answered", "sent"),
    [
        (b'{"id": 7}', b'{"id": null, "error": {}}', {"id": 7, "error": {}}),
        (b'{"id": 7}', b"<html>", {"id": 7}),
        (b"{", b"", {"id": None}),
        (b"[1]", b"[" * 100_000, {"id": None}),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_any_answer_ends_an_open_stream_as_an_event(asked: bytes, answered: bytes, sent: Json) -> None:
    stream = Stream()
    request, answer = HttpRequest("POST", "/mcp", {}, asked, stream=stream), HttpAnswer(500, answered)
    assert as_end_of_stream(request, answer) is answer
    await stream.open({})
    ended = as_end_of_stream(request, answer)
    assert (ended.status, json.loads(ended.body.removeprefix(b"event: message\ndata: "))) == (200, sent)
    assert as_end_of_stream(request, ended) is ended


@pytest.mark.parametrize("body", [b'{"initialize"', b'["initialize"]', b'{"method": "initialize", "params": 7}'])
def test_what_only_looks_like_a_beginning_opens_no_session(body: bytes) -> None:
    answer = HttpAnswer(200, b"{}")
    assert with_session(HttpRequest("POST", "/mcp", {}, body, stream=Stream()), answer) is answer
