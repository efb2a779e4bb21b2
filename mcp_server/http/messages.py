"""HTTP requests and responses that do not depend on a web framework, and how to pass them to an ASGI app."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from answer_stream import AnswerStream
from mcp_server.protocol.json_text import to_json
from mcp_server.wording import speakable

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Scope

JSON: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"
# Matches a valid Host header: a name or an address, with an optional port.
_HOST: Final = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::0*([0-9]{1,5}))?", re.ASCII)
# Matches escaped halves of surrogate pairs.
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_LOOPBACK: Final = {"localhost", "127.0.0.1", "[::1]"}


@dataclass(frozen=True)
class HttpRequest:
    """An HTTP request. Header names are in lowercase, which is how the Functions host passes them.

    - `address` is the network address of the client.
    - `invocation` is the ID that the platform gave to the request.
    - `stream` is set if the host can stream the response.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""
    address: str = ""
    invocation: str = ""
    stream: AnswerStream | None = None

    @cached_property
    def message(self) -> dict[str, Any] | None:
        """The body as a JSON object.

        None if the body is not a JSON object, or if parsers could read it in different ways. The object is cached, so
        callers must not modify it.
        """
        return _object_in(self.body)

    @property
    def host(self) -> str:
        return normal_host(self.headers.get("host", ""))

    @property
    def origin(self) -> str:
        return origin_of(self.headers)


def _object_in(body: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(body.decode(), parse_constant=_refuse)
        if _SURROGATE.search(body):
            # Encoding fails if a surrogate is not part of a pair. JSON parsers disagree about the meaning of a single
            # surrogate, but a pair always means one character.
            json.dumps(message, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _refuse(constant: str) -> Any:
    """Reject constants such as `NaN`, which are not valid JSON."""
    raise ValueError(constant)


def request_at(url: str, method: str, headers: Mapping[str, str], body: bytes) -> HttpRequest:
    """A request from a Functions host. Characters that UTF-8 cannot encode are removed."""
    try:
        parts = urlsplit(url)
        path, query = unquote(parts.path), speakable(parts.query)
    except ValueError:  # the URL contains the client's invalid host, which `check_host` rejects later
        path, query = "/", ""
    spoken = {name: speakable(value) for name, value in headers.items()}
    return HttpRequest(method, speakable(path), spoken, body, query)


@lru_cache(maxsize=64)
def normal_host(text: str) -> str:
    """The normalized form of a Host header. Empty if the header is invalid.

    The default ports of both http and https are removed, because a proxy in front of the server terminates TLS.
    """
    found = _HOST.fullmatch(text.lower())
    if not found:
        return ""
    name, port = found[1], found[2] or ""
    return name if port in ({"", "80"} if name in _LOOPBACK else {"", "80", "443"}) else f"{name}:{port}"


def origin_of(headers: Mapping[str, str]) -> str:
    """The scheme and the host with which the client reached this server.

    The scheme is https, except for loopback hosts.
    """
    host = normal_host(headers.get("host", ""))
    is_here = host in _LOOPBACK or host.rpartition(":")[0] in _LOOPBACK
    return f"{'http' if is_here else 'https'}://{host}"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def protocol_error(status: int, code: int, message: str, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """A protocol error for a request that was rejected before its ID was read."""
    document = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return HttpAnswer(status, to_json(document), {"content-type": JSON, **(headers or {})})


async def run(app: ASGIApp, request: HttpRequest, extras: Mapping[str, Any]) -> HttpAnswer:
    """Pass the request to an ASGI app.

    The parts of a streamed response are joined, because Azure Functions sends each response in one piece.
    """
    exchange = _Exchange(request.body)
    await app({**_scope(request), **extras}, exchange.receive, exchange.send)
    return HttpAnswer(exchange.status, b"".join(exchange.parts), exchange.headers)


def _scope(request: HttpRequest) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "https",
        "path": request.path,
        "query_string": request.query.encode("latin-1", errors="replace"),
        "headers": [(name.encode("latin-1"), _encoded(value)) for name, value in request.headers.items()],
        "state": {},
    }


def _encoded(value: str) -> bytes:
    # HTTP cannot transmit characters outside Latin-1 in a header, so a value with such characters is invalid. Question
    # marks replace these characters, so the app rejects the value.
    return value.encode("latin-1", errors="replace")


@dataclass(slots=True)
class _Exchange:
    body: bytes
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    parts: list[bytes] = field(default_factory=list)
    _is_received: bool = False

    async def receive(self) -> Message:
        if self._is_received:
            # The platform does not report that a client has disconnected, so wait forever.
            await asyncio.Event().wait()
        self._is_received = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        else:
            self.parts.append(message.get("body", b""))


def has(request: HttpRequest, tag: str) -> bool:
    """Whether the client already has the version with this ETag.

    Weak ETags also match, because proxies that compress a response mark its ETag as weak.
    """
    tags = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    return tag in tags or tags == ["*"]
