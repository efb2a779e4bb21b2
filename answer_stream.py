"""Lets a function stream its response in parts, if the host supports streaming. Azure Functions itself sends each
response as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final, Protocol


class AnswerStream(Protocol):
    """A stream of events (`text/event-stream`) that answers one request.

    If the stream is open, the function's return value becomes the last part of the stream.
    """

    @property
    def is_open(self) -> bool: ...

    async def open(self, headers: Mapping[str, str]) -> None:
        """Send the response status 200 and these headers."""

    async def send(self, part: str) -> None:
        """Send a part of the response immediately.

        Raises:
            ConnectionError: The client has disconnected.
        """


# The host's stream for the current request, if it supports streaming.
OFFERED: Final[ContextVar[AnswerStream | None]] = ContextVar("offered_answer_stream", default=None)
