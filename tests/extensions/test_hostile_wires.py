"""Servers that mean harm below the protocol: whatever comes over the wire is an answer, or is refused in words."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import pytest

from extensions.upstream.connecting import upstream_at
from extensions.upstream.failures import ServerRejectedError, ServerUnreachableError, SignInError
from extensions.upstream.question import ServerRequest
from extensions.upstream.upstream import Era, UpstreamServer
from refusal import Refusal
from tests.fakes.extensions.peer import THEN

Json = dict[str, Any]
Say = Callable[[Json], bytes]
LARGEST: Final = 100_000


def answer(result: str = '{"content": []}', more: str = "") -> str:
    """The answer to what was asked, whose id takes the place of ID."""
    return f'{{"jsonrpc": "2.0", "id": "ID", "result": {result}{more}}}'


def http(body: str | bytes, *headers: str, kind: str = "application/json", status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *headers]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + _bytes(body)


def _bytes(body: str | bytes) -> bytes:
    return body.encode() if isinstance(body, str) else body


def events(*data: str, after: str = "") -> bytes:
    return http("".join(f"data: {one}\n\n" for one in data) + after, kind="text/event-stream")


def note(method: str, params: str = "{}") -> str:
    return f'{{"jsonrpc": "2.0", "method": "{method}", "params": {params}}}'


def question(method: str, number: object = 7) -> str:
    return f'{{"jsonrpc": "2.0", "id": {json.dumps(number)}, "method": "{method}", "params": {{}}}}'


ODD_IDS: Final = (0, -1, 1.5, True, None, "", "x" * 50_000, "\ud800", [1], {"a": 1})
# What comes for a call, byte by byte, and the words in which it is refused: none where it is an answer all the same.
# They end in a bar where that depends on the parser of HTTP, of which there is one in C and one in Python.
WIRES: Final[dict[str, tuple[bytes, str]]] = {
    "a bomb of gzip": (http(gzip.compress(b"[" * 10_000_000), "Content-Encoding: gzip"), "sent a compressed response"),
    "a bomb within a bomb": (
        http(gzip.compress(gzip.compress(b"0" * 1_000_000)), "Content-Encoding: gzip, gzip"),
        "sent a compressed response",
    ),
    "gzip that is said to be none": (http(gzip.compress(answer().encode())), "something other than valid JSON"),
    "compressed in a way of its own": (http(answer(), "Content-Encoding: own"), "sent a compressed response"),
    "a bomb as a failure": (
        http(gzip.compress(b"[" * 1_000_000), "Content-Encoding: gzip", status="400 Bad Request"),
        "status 400",
    ),
    "a batch with the answer in it": (http(f"[7, null, [], {answer()}]"), ""),
    "a batch of others' answers": (
        http(f"[{', '.join([answer().replace('ID', 'x')] * 500)}]"),
        "before it was complet",
    ),
    "a batch of questions": (http(f"[{', '.join([question('roots/list')] * 500)}]"), "asks too many questions"),
    "a batch within a batch": (http(f"[[{answer()}]]"), "before it was complete"),
    "the answer twice": (events(answer(), answer('{"content": [7]}')), ""),
    "an answer and a failure": (http(answer(more=', "error": {"code": 1, "message": "no"}')), r"an error \(1\)"),
    "the questions of a client": (
        events(*map(question, ("sampling/createMessage", "roots/list", "elicitation/create", "ping")), answer()),
        "",
    ),
    "questions with odd ids": (events(*(question("roots/list", one) for one in ODD_IDS), answer()), ""),
    "questions without a method": (events(*['{"jsonrpc": "2.0", "id": 1, "method": 7}'] * 20, answer()), ""),
    "notes that are none": (
        events(*(note("notifications/progress", params) for params in ("7", "[]", "null", '"x"', "{}")), answer()),
        "",
    ),
    "notes of a log": (events(*[note("notifications/message", '{"level": 7, "data": []}')] * 500, answer()), ""),
    "news of lists": (events(*[note("notifications/tools/list_changed")] * 500, answer()), ""),
    "comments without end": (events(after=": still here\n\n" * 20_000), "exceeded the limit"),
    "an event without end": (events(after="data: {\n" * 20_000), "larger than"),
    "a name of a field without end": (events(after="x" * 200_000), "larger than"),
    "fields nobody knows": (events(answer()).replace(b"data:", b"retry: 99999999999\nid: \x00\nnew: 1\ndata:"), ""),
    "a mark of the order of bytes": (http(b"\xef\xbb\xbf" + answer().encode()), "something other than valid JSON"),
    "another alphabet": (
        http(answer().encode("utf-16"), kind="application/json; charset=utf-16"),
        "something other than valid JSON",
    ),
    "a cookie": (http(answer(), "Set-Cookie: a=b"), ""),
    "more than is said": (
        http(answer() + "x" * 100, f"Content-Length: {len(answer()) + 14}"),
        "closed the connection early|",
    ),
    "less than is said": (http(answer(), "Content-Length: 5000"), "closed the connection early"),
    "a length that is none": (http(answer(), "Content-Length: many"), "closed the connection early"),
    "a length below nothing": (http(answer(), "Content-Length: -5"), "closed the connection early"),
    "two lengths": (
        http(answer(), "Content-Length: 5", "Content-Length: 7"),
        "closed the connection early|something else",
    ),
    "a piece that is none": (http("zz\r\n{}\r\n", "Transfer-Encoding: chunked"), "closed the connection early"),
    "an endless piece": (
        http("ffffffffffffffff\r\n{", "Transfer-Encoding: chunked"),
        "closed the connection early|before",
    ),
    "a header without end": (http(answer(), f"X-Long: {'x' * 100_000}"), "closed the connection early"),
    "a header without a name": (http(answer(), ": x"), "closed the connection early"),
    "a header that is folded": (http(answer(), "X-Folded: a\r\n  b"), "closed the connection early|"),
    "headers without end": (http(answer(), *(f"X-{n}: x" for n in range(30_000))), "closed the connection early|"),
    "letters that are none": (http(answer(), "X-Odd: \udcff\udcfe"), ""),
    "no HTTP at all": (b"SSH-2.0-OpenSSH_9.6\r\n", "closed the connection early"),
    "HTTP of another time": (b"HTTP/0.9 200 OK\r\n\r\n" + answer().encode(), "closed the connection early|before"),
    "a status that is none": (http(answer(), status="999 Odd"), "status 999|closed the connection early"),
    "a status of three pages": (http(answer(), status="200 " + "x" * 50_000), "closed the connection early"),
    "nothing new": (http("", status="304 Not Modified"), "redirects to another|status 304"),
    "another protocol": (
        http("", "Upgrade: h2c", status="101 Switching Protocols"),
        "status 101|closed the connection early|before",
    ),
    "a redirect into this house": (
        http("", "Location: http://169.254.169.254/metadata", status="307 Temporary Redirect"),
        "not followed",
    ),
    "a sign-in without end": (
        http("", f"WWW-Authenticate: Bearer {'x' * 7_000}", status="401 Unauthorized"),
        "rejected the sign-in",
    ),
    "nothing": (b"", "closed the connection early"),
}


@asynccontextmanager
async def listening(say: Say) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that answers each connection with bytes, and closes it. The second is what it was sent."""
    heard: list[bytes] = []

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(length[1])) if length else b""
            heard.append(head + body)
            writer.write(say(json.loads(body)))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", heard
    finally:
        server.close()


@asynccontextmanager
async def asking(url: str, era: Era = Era.CURRENT) -> AsyncIterator[UpstreamServer]:
    upstream = upstream_at("The peer", url, era, is_private=True, largest=LARGEST)
    try:
        yield upstream
    finally:
        await upstream.close()


def call() -> ServerRequest:
    return ServerRequest(method="tools/call", params={"name": "echo", "arguments": {}})


async def refused(upstream: UpstreamServer) -> str:
    """The words in which an answer is refused; none for one that is there."""
    try:
        assert "content" in await upstream.ask(call(), seconds=20)
    except Refusal as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize("how", WIRES)
async def test_whatever_comes_is_an_answer_or_is_refused_and_the_next_call_is_fine(how: str) -> None:
    said = [WIRES[how][0], http(answer())]

    def say(message: Json) -> bytes:
        # What it is sent back for questions of its own is nothing that it asked for.
        return (said.pop(0) if "method" in message else http("")).replace(b"ID", str(message.get("id")).encode())

    async with listening(say) as (url, heard), asking(url) as upstream:
        assert re.search(WIRES[how][1] or "^$", await refused(upstream))
        assert await upstream.ask(call(), seconds=20) == {"content": []}
    assert b"cookie" not in b"".join(heard).lower()


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (200, None, ""),
        (202, ServerUnreachableError, "ended its answer before it was complete"),
        (201, ServerRejectedError, "answered with status 201"),
        (299, ServerRejectedError, "answered with status 299"),
        (300, ServerRejectedError, "redirects to another URL. Redirects are not followed"),
        (399, ServerRejectedError, "redirects to another URL. Redirects are not followed"),
        (400, ServerRejectedError, "answered with status 400"),
        (401, SignInError, "rejected the sign-in of this server"),
        (403, SignInError, "rejected the sign-in of this server"),
        (404, ServerRejectedError, "answered with status 404"),
        (499, ServerRejectedError, "answered with status 499"),
        (500, ServerUnreachableError, "answered with status 500"),
        (599, ServerUnreachableError, "answered with status 599"),
    ],
)
async def test_a_status_says_whether_the_server_is_unreachable_or_rejects_the_request(
    status: int, error: type[Refusal] | None, told: str
) -> None:
    """Three requests that cannot reach the server in a row stop further requests for a while."""

    def say(message: Json) -> bytes:
        return http(answer().replace("ID", str(message["id"])), status=f"{status} Said")

    async with listening(say) as (url, _), asking(url) as upstream:
        for _ in range(3 if error else 1):
            if error is None:
                assert await upstream.ask(call(), seconds=20) == {"content": []}
                continue
            with pytest.raises(error) as refusal:
                await upstream.ask(call(), seconds=20)
            assert (type(refusal.value), str(refusal.value)) == (error, f"The peer {told}.")
        assert upstream.circuit.is_open is (error is ServerUnreachableError)


@pytest.mark.parametrize(("more", "told"), [(0, "^$"), (1, "exceeded the limit for answers")])
async def test_a_stream_has_up_to_twice_as_many_bytes_as_an_answer(more: int, told: str) -> None:
    def say(message: Json) -> bytes:
        event = f"data: {answer()}\n\n".replace("ID", str(message.get("id")))
        comments = ":\n\n" * ((2 * LARGEST - len(event)) // 3 - 1)
        last = f":{'x' * (2 * LARGEST + more - len(event) - len(comments) - 3)}\n\n"
        return http(comments + last + event, kind="text/event-stream")

    async with listening(say) as (url, _), asking(url) as upstream:
        assert re.search(told, await refused(upstream))


@pytest.mark.parametrize(("more", "told"), [(0, "^$"), (1, "exceeded the limit for answers")])
async def test_an_answer_has_up_to_as_many_bytes_as_are_allowed(more: int, told: str) -> None:
    def say(message: Json) -> bytes:
        return http(answer().replace("ID", str(message.get("id"))).ljust(LARGEST + more))

    async with listening(say) as (url, _), asking(url) as upstream:
        assert re.search(told, await refused(upstream))


@pytest.mark.parametrize(("more", "told"), [(0, "^$"), (1, "exceeded the limit for answers")])
async def test_a_stream_has_up_to_10_000_messages(more: int, told: str) -> None:
    def say(message: Json) -> bytes:
        return events(*["[]"] * (9_999 + more), answer().replace("ID", str(message.get("id"))))

    async with listening(say) as (url, _), asking(url) as upstream:
        assert re.search(told, await refused(upstream))


# Names of sessions, and whether they are sent back as they came.
SESSIONS: Final = {
    "x" * 7_000: True,
    '";Authorization:Bearer': True,
    "../../admin": True,
    "%0d%0aX-Injected:yes": True,
    "": False,
    "x" * 100_000: False,
    "a b": False,
    "a\tb": False,
    "\udcff\udcfe": False,
    "é": False,
    "\x7f": False,
    "\x00": False,
}


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: repr(session)[:20])
async def test_the_name_of_a_session_is_sent_back_as_it_came_or_not_at_all(session: str) -> None:
    about = answer(f'{{"protocolVersion": "{THEN}", "capabilities": {{}}}}')

    def say(message: Json) -> bytes:
        opened = message.get("method") == "initialize"
        told = http(about, f"Mcp-Session-Id: {session}") if opened else http(answer())
        return told.replace(b"ID", str(message.get("id")).encode())

    async with listening(say) as (url, heard), asking(url, Era.HANDSHAKE) as upstream:
        if SESSIONS[session] or not session:
            assert await upstream.ask(call(), seconds=20) == {"content": []}
        else:
            with pytest.raises(ServerUnreachableError, match=r"invalid characters|closed the connection early"):
                await upstream.ask(call(), seconds=20)
    sent = re.findall(rb"mcp-session-id: (.*)\r\n", b"".join(heard), re.IGNORECASE)
    assert sent == ([session.encode()] * 2 if SESSIONS[session] else [])
    assert not re.search(rb"\r\n(x-injected|authorization):", b"".join(heard), re.IGNORECASE)


async def test_a_trickle_that_never_falls_silent_ends_with_the_time_that_a_call_has() -> None:
    ended = asyncio.Event()

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        try:
            while await reader.read(65_536):
                writer.write(b": still here\n\n")
                await writer.drain()
        finally:
            writer.close()
            ended.set()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    async with server, asking(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp") as upstream:
        with pytest.raises(ServerUnreachableError, match=r"did not answer within 0.1 seconds, and was asked to stop"):
            await upstream.ask(call(), seconds=0.1)
        await ended.wait()
