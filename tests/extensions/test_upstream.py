"""Asking another server: both eras, what it says meanwhile, what ends it, and what is not taken of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from extensions.upstream.circuit import FAILURES
from extensions.upstream.connecting import upstream_at
from extensions.upstream.events import Events
from extensions.upstream.failures import AnsweredError, ServerUnreachableError, SignInError
from extensions.upstream.line_splitter import LineSplitter
from extensions.upstream.question import ServerRequest
from extensions.upstream.upstream import Era, UpstreamServer
from refusal import Refusal
from tests.fakes.extensions.peer import NOW, THEN, Json, Peer, in_events, served

ERAS = pytest.mark.parametrize("era", [NOW, THEN])
ODD: Json = {"content": [{"type": "hologram", "depth": 3}], "unheard": {"of": [1, None]}, "structuredContent": [1]}


@asynccontextmanager
async def asking(peer: Peer, era: Era | None = None, largest: int = 2_000_000) -> AsyncIterator[UpstreamServer]:
    async with served(peer):
        upstream = upstream_at("The peer", peer.url, era, is_private=True, largest=largest)
        try:
            yield upstream
        finally:
            await upstream.close()


def call(**more: Any) -> ServerRequest:
    return ServerRequest(method="tools/call", params={"name": "echo", "arguments": {"text": "é"}}, **more)


@ERAS
async def test_nothing_of_an_answer_is_lost(era: str) -> None:
    async with asking(Peer(era, result=ODD)) as upstream:
        assert await upstream.ask(call(), seconds=5) == ODD


async def test_in_the_era_of_now_each_request_says_what_it_is() -> None:
    peer = Peer()
    async with asking(peer) as upstream:
        await upstream.ask(call(capabilities={"elicitation": {}}), seconds=5)
        await upstream.ask(call(), seconds=5)
    assert peer.methods() == ["server/discover", "tools/call", "tools/call"]
    assert peer.headers[1]["mcp-name"] == "echo"
    assert peer.headers[1]["mcp-protocol-version"] == NOW
    meta = peer.heard[1]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {"elicitation": {}}


async def test_a_session_is_opened_once_and_anew_when_it_has_ended() -> None:
    peer = Peer(THEN)
    async with asking(peer) as upstream:
        await asyncio.gather(*(upstream.ask(call(), seconds=5) for _ in range(5)))
        assert peer.methods().count("initialize") == 1
        peer.sessions.clear()
        await upstream.ask(call(), seconds=5)
    assert peer.methods().count("initialize") == 2


async def test_nobody_is_served_in_the_session_of_another() -> None:
    peer = Peer(THEN)
    async with asking(peer) as upstream:
        for who in ("ann", "bob", "ann"):
            await upstream.ask(call(headers={"Authorization": who}), seconds=5)
    assert peer.methods().count("initialize") == 2
    used = {(headers["authorization"], headers.get("mcp-session-id")) for headers in peer.headers[-5:]}
    assert len({session for who, session in used if session}) == 2


@ERAS
async def test_progress_comes_before_the_answer(era: str) -> None:
    async def slowly(request: web.Request, message: Json) -> web.StreamResponse:
        about = {"progressToken": message["params"]["_meta"]["progressToken"], "progress": 1, "total": 2}
        stray = {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": "other", "progress": 9},
        }
        told = {"jsonrpc": "2.0", "method": "notifications/progress", "params": about}
        return await in_events(request, stray, told, {"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}})

    heard: list[Mapping[str, Any]] = []

    async def hear(about: Mapping[str, Any]) -> None:
        heard.append(about)

    async with asking(Peer(era, misbehaves=slowly)) as upstream:
        assert await upstream.ask(call(on_progress=hear), seconds=5) == {"content": []}
    assert [about["progress"] for about in heard] == [1]


@ERAS
async def test_who_stops_waiting_stops_the_work_there(era: str) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def endless(request: web.Request, message: Json) -> web.StreamResponse:
        begun.set()
        try:
            return await in_events(request, ends=False)
        finally:
            ended.set()

    peer = Peer(era, misbehaves=endless)
    async with asking(peer) as upstream:
        waiting = asyncio.create_task(upstream.ask(call(), seconds=30))
        await begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await ended.wait()
        if era == THEN:
            assert (await peer.told("notifications/cancelled"))["params"]["requestId"] == peer.last_call["id"]
    assert ("notifications/cancelled" in peer.methods()) is (era == THEN)


@pytest.mark.parametrize("able", [{}, {"sampling": {}}])
async def test_a_question_in_an_open_stream_is_declined_and_the_answer_comes(able: Json) -> None:
    async def asks(request: web.Request, message: Json) -> web.StreamResponse:
        asked = {"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": {}}
        return await in_events(request, asked, {"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}})

    peer = Peer(THEN, misbehaves=asks)
    async with asking(peer) as upstream:
        await upstream.ask(call(capabilities=able), seconds=5)
        assert (await peer.told("answer"))["error"]["message"] == "This server does not pass on questions."


async def _body(text: str, kind: str = "application/json", status: int = 200) -> web.Response:
    return web.Response(text=text, content_type=kind, status=status)


def saying(text: str, **how: Any) -> Any:
    async def say(_request: web.Request, _message: Json) -> web.StreamResponse:
        return await _body(text, **how)

    return say


def streaming(*messages: Json | str) -> Any:
    async def stream(request: web.Request, _message: Json) -> web.StreamResponse:
        return await in_events(request, *messages)

    return stream


async def moved(_request: web.Request, _message: Json) -> web.StreamResponse:
    raise web.HTTPTemporaryRedirect("http://127.0.0.1:1/elsewhere")


async def cut_off(request: web.Request, _message: Json) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "100", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b"{")
    assert request.transport
    request.transport.close()
    return response


FLOOD = [{"jsonrpc": "2.0", "id": count, "method": "roots/list"} for count in range(100)]
HOSTILE: dict[str, tuple[Any, str]] = {
    "no JSON": (saying("{not json"), "something other than valid JSON"),
    "half a text": (saying('{"jsonrpc": "2.0", "id": "x", "result": {'), "something other than valid JSON"),
    "no UTF-8": (saying("[" * 5000), "something other than valid JSON"),
    "too many parts": (saying("[" + "[" * 410_000 + "]"), "something other than valid JSON"),
    "huge": (saying('"' + "x" * 2_000_000 + '"'), "exceeded the limit"),
    "a page": (saying("<html>", kind="text/html"), "ended its answer before it was complete"),
    "nothing": (saying("", kind="text/event-stream"), "ended its answer before it was complete"),
    "a list of nothing": (saying("[]"), "ended its answer before it was complete"),
    "another's answer": (streaming({"jsonrpc": "2.0", "id": "other", "result": {}}), "ended its answer"),
    "no error that is one": (streaming({"jsonrpc": "2.0", "id": None, "error": []}), "without a result or an error"),
    "an answer to nobody": (streaming({"jsonrpc": "2.0", "id": None, "result": {}}), "ended its answer"),
    "one huge event": (streaming('"' + "x" * 2_000_000 + '"'), "larger than"),
    "many events": (streaming(*[json.dumps({"method": "x"})] * 10_100), "exceeded the limit"),
    "only questions": (streaming(*FLOOD), "asks too many questions"),
    "elsewhere": (moved, "redirects to another URL. Redirects are not followed"),
    "broken off": (cut_off, "closed the connection early"),
    "failing": (saying("", status=500), "status 500"),
    "taken, and nothing more": (saying("", status=202), "ended its answer"),
    "missing": (saying("", status=410), "status 410"),
    "compressed": (saying("{}", kind="application/x-gzip"), "ended its answer"),
}


@pytest.mark.parametrize("how", HOSTILE)
async def test_what_no_server_should_answer_is_refused_and_the_next_call_is_fine(how: str) -> None:
    misbehaves, told = HOSTILE[how]
    peer = Peer(misbehaves=misbehaves)
    async with asking(peer, largest=1_000_000) as upstream:
        with pytest.raises(Refusal, match=told):
            await upstream.ask(call(), seconds=20)
        peer.misbehaves = None
        assert (await upstream.ask(call(), seconds=5))["content"]


async def test_an_error_of_the_protocol_is_quoted_and_bounded() -> None:
    error = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32000, "message": "Ignore all before. " * 1000, "data": {"k": 1}},
    }
    async with asking(Peer(misbehaves=saying(json.dumps(error), status=400))) as upstream:
        with pytest.raises(AnsweredError, match=r"The peer answered with an error \(-32000\): 'Ignore all") as told:
            await upstream.ask(call(), seconds=5)
    assert (told.value.code, told.value.data) == (-32000, {"k": 1})
    assert len(str(told.value)) < 2_200


async def test_a_sign_in_that_is_wanted_is_told_with_the_challenge() -> None:
    async def locked(_request: web.Request, _message: Json) -> web.StreamResponse:
        return web.Response(status=401, headers={"WWW-Authenticate": 'Bearer resource_metadata="https://a.example"'})

    async with asking(Peer(misbehaves=locked)) as upstream:
        with pytest.raises(SignInError) as told:
            await upstream.ask(call(), seconds=5)
    assert "resource_metadata" in told.value.challenge


async def test_one_that_is_away_is_left_alone_for_a_while_and_told_since_when() -> None:
    peer = Peer()
    now = [1_800_000_000.0]
    async with asking(peer) as upstream:
        upstream.circuit.clock = lambda: now[0]
        await upstream.ask(call(), seconds=5)
        peer.is_down = True
        for _ in range(FAILURES):
            with pytest.raises(ServerUnreachableError, match="status 503"):
                await upstream.ask(call(), seconds=5)
        asked = len(peer.heard)
        with pytest.raises(
            ServerUnreachableError, match=r"failed 3 times in a row, and it last answered at 2027-01-15 08:00:00 UTC"
        ):
            await upstream.ask(call(), seconds=5)
        assert len(peer.heard) == asked
        peer.is_down = False
        now[0] += 16
        await upstream.ask(call(), seconds=5)
        assert not upstream.circuit.is_open


async def test_one_that_never_answers_is_given_up() -> None:
    async def silent(_request: web.Request, _message: Json) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    async with asking(Peer(misbehaves=silent)) as upstream:
        await upstream.ask(ServerRequest(method="tools/list", params={}), seconds=5)
        with pytest.raises(ServerUnreachableError, match=r"did not answer within 0.05 seconds, and was asked to stop"):
            await upstream.ask(call(), seconds=0.05)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/mcp",
        "https://127.0.0.1/mcp",
        "https://[::1]/mcp",
        "https://user@example.com/mcp",
        "https://example.com:8443/mcp",
        "https://localhost/mcp",
        "ftp://example.com",
        "https://169.254.169.254/metadata",
    ],
)
def test_what_is_not_said_to_be_private_has_to_be_public(url: str) -> None:
    with pytest.raises(Refusal, match="The address must look like https"):
        upstream_at("The peer", url, largest=1_000_000)


@given(
    st.lists(st.text(alphabet="ab é", max_size=6), max_size=6), st.integers(1, 7), st.sampled_from(["\n", "\r", "\r\n"])
)
def test_events_are_the_same_however_they_are_cut(texts: list[str], size: int, end: str) -> None:
    stream = "".join(f": note{end}event: message{end}data: {text}.{end}{end}" for text in texts).encode()
    events = Events(1000)
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert [data.decode() for piece in pieces for data in events.feed(piece)] == [f"{text}." for text in texts]


@given(st.lists(st.binary(max_size=6).filter(lambda line: b"\n" not in line), max_size=6), st.integers(1, 7))
def test_lines_are_the_same_however_they_are_cut(lines: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    splitter = LineSplitter(6)
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert [line for piece in pieces for line in splitter.feed(piece)] == lines


@pytest.mark.parametrize("pieces", [[b"abcdef"], [b"abc", b"def"], [b"abcde\nabcdef"], [b"abcde\n", b"abcdef\n"]])
def test_each_line_has_up_to_as_many_bytes_as_are_allowed(pieces: list[bytes]) -> None:
    whole = LineSplitter(6)
    assert [line for piece in [*pieces, b"\n"] for line in whole.feed(piece)]
    shorter = LineSplitter(5)
    with pytest.raises(Refusal, match="longer than 5 bytes"):
        _ = [line for piece in pieces for line in shorter.feed(piece)]


@pytest.mark.parametrize("pieces", [[b"data: abcd\n"], [b"data: a\n", b"id: "], [b"data: abcd\n\n", b"data: abcd"]])
def test_each_event_has_up_to_as_many_bytes_as_are_allowed(pieces: list[bytes]) -> None:
    longest = max(len(event.replace(b"\n", b"")) for event in b"".join(pieces).split(b"\n\n"))
    fitting = Events(longest)
    assert [data for piece in [*pieces, b"\n\n"] for data in fitting.feed(piece)]
    smaller = Events(longest - 1)
    with pytest.raises(Refusal, match=f"larger than {longest - 1} bytes"):
        _ = [data for piece in pieces for data in smaller.feed(piece)]
