"""A way to send an answer in parts, if the host of the functions has one. Azure Functions sends each answer whole."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final, Protocol


class AnswerStream(Protocol):
    """A stream of events (`text/event-stream`) to the client of one request.

    Once it is open, what the function returns is sent as its end.
    """

    @property
    def is_open(self) -> bool: ...

    async def open(self, headers: Mapping[str, str]) -> None:
        """Send the head of the answer: the status 200, and these headers."""

    async def send(self, part: str) -> None:
        """Send a part at once.

        Raises:
            ConnectionError: The client has gone.
        """


# What the host offers to the function that answers the request of this context.
OFFERED: Final[ContextVar[AnswerStream | None]] = ContextVar("offered_answer_stream", default=None)
