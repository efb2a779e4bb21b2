"""One HTTP request and its answer, free of any web framework, and how an ASGI app turns one into the other."""

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
# What a client may name as the host: a name or an address, and a port.
_HOST: Final = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::0*([0-9]{1,5}))?", re.ASCII)
# Halves of surrogate pairs.
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_LOOPBACK: Final = {"localhost", "127.0.0.1", "[::1]"}


@dataclass(frozen=True)
class HttpRequest:
    """Header names are in lower case, as the Functions host passes them.

    `address` is the network address that the request comes from, `invocation` the name that the platform has for it.
    `stream` is there if the host can send the answer in parts.
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
        """The body as a JSON object, if it is one to every parser. It is read once, so nobody may change it."""
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
            # Both halves of a pair are one character; a half alone is none, and parsers differ about it.
            json.dumps(message, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _refuse(constant: str) -> Any:
    """`NaN` and its like are not JSON."""
    raise ValueError(constant)


def request_at(url: str, method: str, headers: Mapping[str, str], body: bytes) -> HttpRequest:
    """A request as a host of functions passes it on, without what no text can hold."""
    try:
        parts = urlsplit(url)
        path, query = unquote(parts.path), speakable(parts.query)
    except ValueError:  # the client named a host that can be none, which is rejected by its header
        path, query = "/", ""
    spoken = {name: speakable(value) for name, value in headers.items()}
    return HttpRequest(method, speakable(path), spoken, body, query)


@lru_cache(maxsize=64)
def normal_host(text: str) -> str:
    """The one spelling of a host that is spelled so; nothing of what is none.

    Strangers are reached over TLS, which ends before this server: the port of plain HTTP says no more than that of TLS.
    """
    found = _HOST.fullmatch(text.lower())
    if not found:
        return ""
    name, port = found[1], found[2] or ""
    return name if port in ({"", "80"} if name in _LOOPBACK else {"", "80", "443"}) else f"{name}:{port}"


def origin_of(headers: Mapping[str, str]) -> str:
    """Scheme and host by which the client reached this server. Only this machine is reached without TLS."""
    host = normal_host(headers.get("host", ""))
    is_here = host in _LOOPBACK or host.rpartition(":")[0] in _LOOPBACK
    return f"{'http' if is_here else 'https'}://{host}"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def protocol_error(status: int, code: int, message: str, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """An answer in the form of the protocol, to a request that never got as far as its id."""
    document = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return HttpAnswer(status, to_json(document), {"content-type": JSON, **(headers or {})})


async def run(app: ASGIApp, request: HttpRequest, extras: Mapping[str, Any]) -> HttpAnswer:
    """Let the app answer. What it streams is collected, since Functions send an answer whole."""
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
    # A header beyond Latin-1 cannot have come over HTTP as it is; the app then sees it cannot be what it expects.
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
            # The platform never tells that a client has gone, so there is nothing more to hear.
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
    """Whether the client says that it has this already. Proxies weaken a tag when they compress."""
    tags = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    return tag in tags or tags == ["*"]
