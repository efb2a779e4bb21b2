"""A queue that delivers each message to a worker at least once."""

from __future__ import annotations

from typing import Protocol


class QueueError(Exception):
    """The queue could not be reached, or rejected the message."""


class Queue(Protocol):
    """A queue of messages. All methods may raise a QueueError."""

    async def prepare(self) -> None:
        """Create the queue if it does not exist."""

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        """Send a message. The worker receives the message `after_seconds` seconds later."""

    async def waiting(self) -> int:
        """The approximate number of messages in the queue."""

    async def close(self) -> None: ...
