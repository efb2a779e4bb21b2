"""Streamed answers, which the platform does not support: they let a function ask its client during a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aiohttp import web

_HEAD: Final = {"content-type": "text/event-stream", "cache-control": "no-cache"}


class Stream:
    """The stream of events that answers one request, once the function opens it."""

    def __init__(self, request: web.Request) -> None:
        self._request = request
        self._response: web.StreamResponse | None = None

    @property
    def is_open(self) -> bool:
        return self._response is not None

    async def open(self, headers: Mapping[str, str]) -> None:
        self._response = web.StreamResponse(headers={**headers, **_HEAD})
        await self._response.prepare(self._request)

    async def send(self, part: str) -> None:
        if self._response:
            await self._response.write(part.encode())

    async def ended(self, answer: web.Response) -> web.StreamResponse:
        """The complete response: the answer itself, or what was already sent, ending with the answer's body."""
        if self._response is None:
            return answer
        # A disconnected client needs no end.
        if self._request.transport is not None and isinstance(answer.body, bytes):
            await self._response.write_eof(answer.body)
        return self._response
