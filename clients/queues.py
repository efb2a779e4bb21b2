"""A queue that brings each message to some worker, at least once."""

from __future__ import annotations

from typing import Protocol


class QueueError(Exception):
    """The queue could not be reached, or did not take the message."""


class Queue(Protocol):
    """Every method may raise a QueueError."""

    async def prepare(self) -> None:
        """Create the queue, if it is not there."""

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        """Send a message that nobody sees before some seconds have passed."""

    async def waiting(self) -> int:
        """About how many messages there are."""

    async def close(self) -> None: ...
