"""What a server asks of the user while it answers: held at a laptop until they answer, and declined elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from extensions.upstream.connecting import upstream_at
from extensions.upstream.question import ServerRequest
from extensions.upstream.server_questions import ServerQuestions
from refusal import Refusal
from tests.extensions.place import app_at, entry_of, running
from tests.fakes.extensions.peer import THEN, Json, Peer, in_events, served
from tests.mcp_server.caller import Caller
from tests.mcp_server.handshake_client import connected, result_of

ABLE: Json = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
WHICH = {"message": "Which color?", "requestedSchema": {"type": "object", "properties": {"color": {"type": "string"}}}}
RED = {"action": "accept", "content": {"color": "red"}}


@dataclass
class Curious(Peer):
    """It speaks by a handshake, and asks so often in the middle of a call; `replies` is what it was answered."""

    era: str = THEN
    method: object = "elicitation/create"
    params: Json | None = field(default_factory=lambda: dict(WHICH))
    breaks_off: bool = False
    times: int = 1
    replies: asyncio.Queue[Json] = field(default_factory=asyncio.Queue)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        message = json.loads(await request.text())
        if message.get("method") == "initialize":
            self.raw["initialize"] = json.dumps(
                {"protocolVersion": THEN, "capabilities": {"seen": message["params"]["capabilities"]}, "serverInfo": {}}
            )
        if "method" not in message:
            self.replies.put_nowait(message)
        if message.get("method") == "tools/call":
            return await self._asking(request, message)
        return await super().answer(request)

    async def _asking(self, request: web.Request, message: Json) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        answers = []
        try:
            for number in range(self.times):
                asked = {"jsonrpc": "2.0", "id": f"q{number}", "method": self.method, "params": self.params}
                await response.write(f"data: {json.dumps(asked)}\n\n".encode())
                if self.breaks_off:
                    return response
                answers.append(await self.replies.get())
        except asyncio.CancelledError:
            self.left.set()
            raise
        text = json.dumps([answer.get("result") or answer["error"]["message"] for answer in answers])
        result = {"content": [{"type": "text", "text": text}]}
        await response.write(
            f"data: {json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result})}\n\n".encode()
        )
        return response


@dataclass
class User:
    """Somebody whose client can be asked, or cannot."""

    caller: Caller
    able: Json = field(default_factory=lambda: dict(ABLE))

    async def call(self, **more: Any) -> Json:
        meta = {CLIENT_CAPABILITIES_META_KEY: self.able}
        params = {"name": "stage_echo", "arguments": {"text": "x"}, "_meta": meta, **more}
        answer: Json = await self.caller.result("tools/call", params)
        return answer

    async def answered(self, asked: Json, answer: Json | None = None) -> Json:
        (name,) = asked["inputRequests"]
        return await self.call(requestState=asked["requestState"], inputResponses={name: answer or RED})


@asynccontextmanager
async def stage(folder: Path, peer: Peer, more: str = "tools: {'*': read}") -> AsyncIterator[User]:
    async with served(peer), running(app_at(folder, entry_of(peer, more))) as app:
        yield User(Caller(app.endpoint, "stage"))


def said(answer: Json) -> Any:
    return json.loads(answer["content"][-1]["text"])


async def test_the_user_is_asked_and_what_is_under_way_goes_on(tmp_path: Path) -> None:
    peer = Curious(times=2)
    async with stage(tmp_path, peer) as user:
        first = await user.call()
        (question,) = first["inputRequests"].values()
        assert (question["method"], question["params"]["message"]) == ("elicitation/create", "Which color?")
        second = await user.answered(first)
        assert second["requestState"] != first["requestState"]
        done = await user.answered(second, {"action": "decline"})
        assert said(done) == [RED, {"action": "decline"}]
    assert peer.methods().count("initialize") == 1
    assert json.loads(peer.raw["initialize"])["capabilities"]["seen"] == {name: {} for name in ABLE}


async def test_a_client_of_a_handshake_version_is_asked_in_the_middle_of_its_call(tmp_path: Path) -> None:
    peer = Curious()
    async with served(peer), running(app_at(tmp_path, entry_of(peer, "tools: {'*': read}"))) as app:
        client = await connected({"elicitation": {"form": {}}}, app.endpoint)
        calling = client.calling({"name": "stage_echo", "arguments": {"text": "x"}})
        question = await client.stream.question()
        assert (question["method"], question["params"]["message"]) == ("elicitation/create", "Which color?")
        assert (await client.answer(question, result=RED)).status == 202
        assert said(result_of(await calling)) == [RED]


ANSWERS: dict[str, tuple[Json | None, Json]] = {
    "roots/list": (None, {"roots": [{"uri": "file:///home/ada"}]}),
    "sampling/createMessage": (
        {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 5},
        {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"},
    ),
}


@pytest.mark.parametrize("method", ANSWERS)
async def test_models_and_folders_are_asked_for_alike(tmp_path: Path, method: str) -> None:
    params, answer = ANSWERS[method]
    async with stage(tmp_path, Curious(method=method, params=params)) as user:
        assert said(await user.answered(await user.call(), answer)) == [answer]


async def test_who_cannot_be_asked_is_not(tmp_path: Path) -> None:
    async with stage(tmp_path, Curious()) as user:
        user.able = {"sampling": {}}
        assert said(await user.call()) == ["This server does not pass on questions."]


@pytest.mark.parametrize("method", [["elicitation/create"], {}, 7, None, "tools/call", "elicitation/create "])
async def test_what_is_no_way_to_ask_is_declined(tmp_path: Path, method: object) -> None:
    async with stage(tmp_path, Curious(method=method)) as user:
        assert said(await user.call()) == ["This server does not pass on questions."]


async def test_nor_is_anybody_in_the_middle_of_a_change(tmp_path: Path) -> None:
    async with stage(tmp_path, Curious(), "tools: {'*': write}") as user:
        assert said(await user.call()) == ["This server does not pass on questions."]


@pytest.mark.parametrize("params", [{}, None, {"message": 7}, {"message": "x", "requestedSchema": "y"}])
async def test_what_is_no_question_is_declined_and_holds_nothing_up(tmp_path: Path, params: Json | None) -> None:
    async with stage(tmp_path, Curious(params=params)) as user:
        assert said(await user.call()) == ["The client does not support this question."]


async def test_an_answer_is_good_once(tmp_path: Path) -> None:
    async with stage(tmp_path, Curious()) as user:
        asked = await user.call()
        assert said(await user.answered(asked)) == [RED]
        assert "already answered" in (await user.answered(asked))["content"][0]["text"]


async def test_who_comes_back_without_an_answer_has_none(tmp_path: Path) -> None:
    async with stage(tmp_path, Curious()) as user:
        asked = await user.call()
        assert said(await user.call(requestState=asked["requestState"])) == ["The user did not answer."]


async def test_a_server_that_has_gone_meanwhile_is_told_of(tmp_path: Path) -> None:
    async with stage(tmp_path, Curious(breaks_off=True)) as user:
        answer = await user.answered(await user.call())
        assert "ended its answer before it was complete" in answer["content"][0]["text"]


@asynccontextmanager
async def holding(
    peer: Peer, seconds: float = 600.0, seconds_of_call: float = 0.2
) -> AsyncIterator[Callable[[Json], Awaitable[Json]]]:
    async with served(peer):
        upstream, held = upstream_at("It", peer.url, is_private=True, largest=1_000_000), ServerQuestions(seconds)

        async def ask(more: Json) -> Json:
            params = {"name": "echo", "arguments": {}, **more}
            question = ServerRequest(method="tools/call", params=params, capabilities=ABLE)
            return await held.ask(question, lambda asked: upstream.ask(asked, seconds=seconds_of_call))

        yield ask
        await held.close()
        await upstream.close()


@pytest.mark.parametrize(
    "answer", [{}, {"inputResponses": None}, {"inputResponses": [RED]}, {"inputResponses": {"question": "red"}}]
)
async def test_an_answer_in_another_form_is_none(answer: Json) -> None:
    async with holding(Curious()) as ask:
        asked = await ask({})
        done = await ask({"requestState": asked["requestState"], **answer})
    assert said(done) == ["The user did not answer."]


async def test_what_nobody_answers_is_let_go(tmp_path: Path) -> None:
    peer = Curious()
    async with holding(peer, seconds=0.01) as ask:
        asked = await ask({})
        await asyncio.wait_for(peer.left.wait(), 10)
        with pytest.raises(Refusal, match="expired"):
            await ask({"requestState": asked["requestState"]})


async def test_only_so_many_are_held(tmp_path: Path) -> None:
    peer = Curious()
    async with holding(peer) as ask:
        first, *_ = [await ask({}) for _ in range(9)]
        await asyncio.wait_for(peer.left.wait(), 10)
        with pytest.raises(Refusal, match="expired"):
            await ask({"requestState": first["requestState"]})


async def test_the_time_of_the_server_does_not_run_while_the_user_is_asked(tmp_path: Path) -> None:
    async with holding(Curious()) as ask:
        asked, later = await ask({}), asyncio.Event()
        # Longer than a call may take.
        asyncio.get_running_loop().call_later(0.3, later.set)
        await later.wait()
        done = await ask({"requestState": asked["requestState"], "inputResponses": {"question": RED}})
        assert said(done) == [RED]


async def test_whoever_stops_waiting_stops_the_work(tmp_path: Path) -> None:
    left = asyncio.Event()

    async def silent(request: web.Request, _message: Json) -> web.StreamResponse:
        try:
            return await in_events(request, ends=False)
        finally:
            left.set()

    peer = Peer(misbehaves=silent)
    async with holding(peer, seconds_of_call=600.0) as ask:
        waiting = asyncio.ensure_future(ask({}))
        await peer.told("tools/call")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.wait_for(left.wait(), 10)
