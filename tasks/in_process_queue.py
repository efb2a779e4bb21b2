"""A queue inside this process, for local servers without a storage account. A timer resends lost messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)


@dataclass
class QueueHere:
    """Passes each message to `worker`. If the worker fails, it gets the same message again after a pause."""

    worker: Callable[[], Callable[[str], Awaitable[None]]]
    seconds_before_it_comes_back: float = 10.0
    _waiting: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    async def prepare(self) -> None:
        """Do nothing, because this queue needs no preparation."""

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        bringing = asyncio.create_task(self._bring(text, after_seconds))
        self._waiting.add(bringing)
        bringing.add_done_callback(self._waiting.discard)

    async def waiting(self) -> int:
        return len(self._waiting)

    async def settled(self) -> None:
        """Wait until the worker has processed all current messages."""
        # `gather` would return before the event loop has removed the ended deliveries from the set.
        if self._waiting:
            await asyncio.wait(self._waiting)

    async def close(self) -> None:
        for bringing in list(self._waiting):
            bringing.cancel()
        await self.settled()

    async def _bring(self, text: str, after: float) -> None:
        await asyncio.sleep(after)
        try:
            await self.worker()(text)
        except Exception:
            logger.exception("A task could not be checked, and will be checked again")
            await asyncio.sleep(self.seconds_before_it_comes_back)
            await self.send(text)
