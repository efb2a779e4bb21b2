"""Rejects HTTP requests with trailers, because aiohttp ignores trailers and the app would not get the whole request."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Final

from aiohttp import web

_TEXT: Final = b"Trailers are not supported: send all headers before the body.\n"
_REJECTION: Final = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_TEXT), _TEXT)
)
_LONGEST_LINE: Final = 64 * 1024
# A client that never closes its end of a rejected connection is given this number of seconds.
_LINGERING: Final = 2
_CHUNKED: Final = re.compile(rb"transfer-encoding:[ \t]*chunked[ \t]*", re.IGNORECASE)
_LENGTH: Final = re.compile(rb"content-length:[ \t]*([0-9]{1,15})[ \t]*", re.IGNORECASE)
_SIZE: Final = re.compile(rb"([0-9a-f]{1,15})[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)


class Framing:
    """Tracks the starts and ends of requests on a connection. Invalid HTTP is ignored, because the server itself
    rejects it.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._skipped = 0
        self._read: Callable[[bytes], bool] = self._head
        self._is_chunked = False
        self._length = 0

    def meets_trailers(self, data: bytes) -> bool:
        """Whether the data received so far contains trailers."""
        self._rest += data
        while self._rest:
            if self._skipped:
                self._skip()
                continue
            line, end, rest = self._rest.partition(b"\n")
            if not end:
                self._rest = self._rest[: _LONGEST_LINE + 1]
                return False
            self._rest = rest
            if self._read(line.removesuffix(b"\r")):
                return True
        return False

    def _skip(self) -> None:
        skipped = min(self._skipped, len(self._rest))
        self._rest, self._skipped = self._rest[skipped:], self._skipped - skipped

    def _head(self, line: bytes) -> bool:
        if found := _LENGTH.fullmatch(line):
            self._length = int(found[1])
        if _CHUNKED.fullmatch(line):
            self._is_chunked = True
        if not line:
            self._skipped = 0 if self._is_chunked else self._length
            self._read = self._size if self._is_chunked else self._head
            self._is_chunked, self._length = False, 0
        return False

    def _size(self, line: bytes) -> bool:
        found = _SIZE.fullmatch(line)
        size = int(found[1], 16) if found else 0
        self._skipped = size + len("\r\n") if size else 0
        self._read = self._size if size else self._end
        return False

    def _end(self, line: bytes) -> bool:
        self._read = self._head
        return bool(line)


class WithoutTrailers(asyncio.Protocol):
    """The server's end of a connection, which is closed if the client sends trailers."""

    def __init__(self, server: web.RequestHandler) -> None:
        self._server = server
        self._framing = Framing()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
        self._server.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._framing.meets_trailers(data) and self._transport:
            self._reject(self._transport)
        else:
            self._server.data_received(data)

    def _reject(self, transport: asyncio.Transport) -> None:
        """Answer, and let the client close the connection. If the host closed it while the client is still sending, the
        client's system would discard the answer.
        """
        transport.set_protocol(asyncio.Protocol())  # ignores what the client still sends
        self._server.transport = None  # otherwise the server would close the connection
        self._server.connection_lost(None)
        transport.write(_REJECTION)
        transport.write_eof()
        asyncio.get_running_loop().call_later(_LINGERING, transport.close)

    def eof_received(self) -> None:
        self._server.eof_received()

    def pause_writing(self) -> None:
        self._server.pause_writing()

    def resume_writing(self) -> None:
        self._server.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connection_lost(exc)
