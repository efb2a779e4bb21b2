"""Keeps the newest search index open for requests, and updates it in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from clients.storage import StorageError
from kept_index.memory import give_back, map_large_blocks
from kept_index.store import IndexStore, P

SECONDS_BETWEEN_LOOKS = 60.0
# The interval between checks for the first index. Callers wait for the first index, so this pause is short.
SECONDS_BETWEEN_LOOKS_FOR_A_FIRST = 2.0
LOOK = "look for a newer index"

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Edition(Generic[T, P]):
    """An open index, and what was published at the last successful check."""

    index: T
    published: P


class IndexReader(Generic[T, P]):
    """Keeps the newest index of a store open. Each index is opened in a thread, with the function `open_index`.

    Indexes that another version of this server wrote in another format are ignored.
    """

    def __init__(
        self,
        store: IndexStore[P],
        open_index: Callable[[bytes], T],
        index_format: str,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._store = store
        self._open_index = open_index
        self._index_format = index_format
        self._clock = clock
        self._edition: Edition[T, P] | None = None
        self._published = store.nothing
        self._looking: asyncio.Task[None] | None = None
        self._looked = 0.0

    @property
    def newest(self) -> Edition[T, P] | None:
        """The index that is open now. This property does not check for a newer index."""
        return self._edition

    @property
    def published(self) -> P:
        """The last published state, which may have no index yet."""
        return self._published

    @property
    def failure(self) -> str | None:
        """The error of the last check for a newer index, or None if the check succeeded."""
        look = self._looking
        error = look.exception() if look and look.done() and not look.cancelled() else None
        return None if error is None else str(error)

    async def edition(self) -> Edition[T, P] | None:
        """Return the newest index, or None if no index was ever published. The call waits only if no index is open yet.

        Raises:
            StorageError: No index is open yet, and the storage is not responding.
        """
        if self._is_time_to_look():
            self._begin_to_look()
        if self._edition is None and self._looking:
            await asyncio.shield(self._looking)
        return self._edition

    async def look(self) -> None:
        """Check for a newer index now, for example after a sync.

        Raises:
            StorageError: The storage is not responding.
        """
        if self._looking and not self._looking.done():
            await asyncio.wait([self._looking])  # the running check may have begun before the last publication
        await asyncio.shield(self._begin_to_look())

    def _is_time_to_look(self) -> bool:
        if self._looking is None:
            return True
        pause = SECONDS_BETWEEN_LOOKS if self._edition else SECONDS_BETWEEN_LOOKS_FOR_A_FIRST
        return self._looking.done() and self._clock() - self._looked >= pause

    def _begin_to_look(self) -> asyncio.Task[None]:
        self._looked = self._clock()
        self._looking = asyncio.create_task(self._look(), name=LOOK)
        self._looking.add_done_callback(_log_failure)
        return self._looking

    async def _look(self) -> None:
        published = self._published = await self._store.published()
        if published.index is None or published.index_format != self._index_format:
            return
        if self._edition and self._edition.published.index == published.index:
            self._edition = Edition(self._edition.index, published)
        else:
            await self._open(published, published.index)
            await asyncio.to_thread(give_back)

    async def _open(self, published: P, name: str) -> None:
        map_large_blocks()
        if content := await self._store.index(name):
            self._edition = Edition(await asyncio.to_thread(self._open_index, content), published)


def _log_failure(look: asyncio.Task[None]) -> None:
    if not look.cancelled() and (error := look.exception()):
        trace = None if isinstance(error, StorageError) else error
        logger.warning("Checking for a newer index failed: %s", error, exc_info=trace)
