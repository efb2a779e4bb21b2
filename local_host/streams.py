"""Streams responses, so that a function can send requests to its client during a call.

The platform does not support such streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aiohttp import web

_HEAD: Final = {"content-type": "text/event-stream", "cache-control": "no-cache"}


class Stream:
    """The response to a request as a stream of events. The response begins when the function opens the stream."""

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
        """The complete response. If the function has opened the stream, end it with the body of the response."""
        if self._response is None:
            return answer
        # If the client has disconnected, do not end the stream, because nobody receives the end.
        if self._request.transport is not None and isinstance(answer.body, bytes):
            await self._response.write_eof(answer.body)
        return self._response
