"""Clients of the handshake versions are asked in the middle of a call, where answers can be sent in parts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from tests.mcp_server.caller import LEGACY, Json, message, post
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

AGREED: Json = {"action": "accept", "content": {"agree": True}}
BRICKING: Json = {"name": "brick_up_door", "arguments": {"room": "attic"}}


@dataclass
class Stream:
    """What a host would send to the client."""

    parts: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    headers: Mapping[str, str] | None = None
    is_broken: bool = False

    @property
    def is_open(self) -> bool:
        return self.headers is not None

    async def open(self, headers: Mapping[str, str]) -> None:
        self.headers = headers

    async def send(self, part: str) -> None:
        if self.is_broken:
            raise ConnectionResetError
        self.parts.put_nowait(part)

    async def question(self) -> Json:
        return event(await self.parts.get())


def with_pages(door: Door = OPEN_DOOR, **more: Any) -> Endpoint:
    """At which a model cannot agree, so that whoever is not asked is told the page."""
    kept = endpoints.approving(grants_of=door.grants_of, by_argument=False)
    return endpoints.new_endpoint(door=door, approvals=kept, **more)


def event(text: str) -> Json:
    kind, data, *_ = text.splitlines()
    assert kind == "event: message"
    return json.loads(data.removeprefix("data: "))


@dataclass
class Client:
    """A client of the handshake versions, and the stream of the call that it is making."""

    endpoint: Endpoint
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Stream = field(default_factory=Stream)

    async def initialize(self, capabilities: Json) -> HttpAnswer:
        params = {"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}}
        return await self.send(message("initialize", params, LEGACY, self.headers))

    async def send(self, request: HttpRequest) -> HttpAnswer:
        return await self.endpoint.handle(replace(request, stream=self.stream), "all")

    def calling(self, params: Json = BRICKING) -> asyncio.Task[HttpAnswer]:
        return asyncio.create_task(self.send(message("tools/call", params, LEGACY, self.headers)))

    async def answer(self, question: Json, **reply: Json) -> HttpAnswer:
        document = {"jsonrpc": "2.0", "id": question["id"], **reply}
        return await self.endpoint.handle(post(json.dumps(document).encode(), self.headers))


async def connected(capabilities: Json, endpoint: Endpoint | None = None, **headers: str) -> Client:
    client = Client(endpoint or with_pages(), headers)
    begun = await client.initialize(capabilities)
    assert begun.status == 200, begun
    session = begun.headers.get(SESSION)
    named = {SESSION: session} if session else {}
    return replace(client, headers={**headers, **named, "mcp-protocol-version": LEGACY}, stream=Stream())


def result_of(answer: HttpAnswer) -> Json:
    document = event(answer.body.decode()) if answer.body.startswith(b"event") else json.loads(answer.body)
    assert document["id"] == 7
    return document["result"]


def text_of(answer: HttpAnswer) -> str:
    text: str = result_of(answer)["content"][0]["text"]
    return text


FORMS: Json = {"elicitation": {"form": {}}}


@pytest.mark.parametrize("capability", [{}, {"form": {}}, {"form": {}, "url": {}}])
async def test_a_client_is_asked_by_a_form_and_its_call_goes_on(capability: Json, records: Records) -> None:
    client = await connected({"elicitation": capability})
    calling = client.calling()
    question = await client.stream.question()
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"].startswith("Brick up door: The door of the attic.")
    assert (await client.answer(question, result=AGREED)).status == 202
    answer = await calling
    assert (answer.status, text_of(answer)) == (200, "attic is gone")
    assert [record["outcome"] for record in records.all] == ["asked", "done"]


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": None}, {"sampling": {}}, {"elicitation": {"url": {}}}])
async def test_no_form_for_clients_that_do_not_show_any(capabilities: Json) -> None:
    client = await connected(capabilities)
    calling = client.calling()
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
    assert "must approve at the URL below" in text_of(await client.calling())


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
    client = await connected(FORMS)
    calling = client.calling()
    assert (await client.answer(await client.stream.question(), **reply)).status == 202
    assert "must approve at the URL below" in text_of(await calling)


@pytest.mark.parametrize("reply", [{"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {}}])
async def test_anything_but_an_agreement_is_a_no(reply: Json) -> None:
    client = await connected(FORMS)
    calling = client.calling()
    await client.answer(await client.stream.question(), result=reply)
    assert "did not agree to brick_up_door; nothing was done" in text_of(await calling)
    # And it holds for the very same call.
    assert "was denied for this call" in text_of(await client.calling())


async def test_nobody_else_answers_a_question() -> None:
    endpoint = with_pages(door=office_door())
    ada = await connected(FORMS, endpoint, **{"x-who": "ada Janitor"})
    bea = await connected(FORMS, endpoint, **{"x-who": "bea Janitor"})
    calling = ada.calling()
    question = await ada.stream.question()
    await bea.answer(question, result=AGREED)
    assert not calling.done()
    await ada.answer(question, result={"action": "decline"})
    assert "did not agree" in text_of(await calling)


async def test_an_answer_counts_once() -> None:
    client = await connected(FORMS)
    calling = client.calling()
    question = await client.stream.question()
    await client.answer(question, result={"action": "decline"})
    await client.answer(question, result=AGREED)
    assert "did not agree" in text_of(await calling)
    assert (await client.answer(question, result=AGREED)).status == 202


async def test_a_question_that_nobody_answers_gives_way_to_the_page() -> None:
    endpoint = with_pages(questions=Questions(seconds_open=0.02, seconds_between_signs=0.01))
    client = await connected(FORMS, endpoint)
    answer = await client.calling()
    # Nobody decided, so the same change waits still.
    assert "must approve at the URL below" in text_of(answer)
    assert [await client.stream.parts.get() for _ in range(3)][1:] == [": waiting for an answer\n\n"] * 2


async def test_a_client_that_went_away_is_not_waited_for() -> None:
    client = await connected(FORMS)
    client.stream.is_broken = True
    assert "must approve at the URL below" in text_of(await client.calling())


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
