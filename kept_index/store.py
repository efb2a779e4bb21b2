"""Stores search indexes as immutable files, with a pointer to the current index."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from clients.storage import ConflictError, Storage, StorageError

POINTER, INDEXES = "current.json", "indexes/"

LEASE_SECONDS = 60
RENEWAL_SECONDS = 20.0
INDEXES_KEPT = 3
INDEX_KEPT_FOR = timedelta(hours=1)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pointer:
    """The published state: the name and the format of the current index. Subclasses add fields."""

    index: str | None = None
    index_format: str = ""


P = TypeVar("P", bound=Pointer)


@dataclass(frozen=True, slots=True)
class Turn(Generic[P]):
    """The exclusive right to write to an index store, and the state that was published when the right was acquired."""

    lease: str
    version: str
    published: P


class IndexStore(Generic[P]):
    """The storage of a search index. Many readers and one writer can use the storage at the same time."""

    def __init__(self, storage: Storage, pointer: type[P], renewal_seconds: float = RENEWAL_SECONDS) -> None:
        self._storage = storage
        self._pointer = pointer
        self._renewal_seconds = renewal_seconds

    async def prepare(self) -> None:
        """Create the container and table for writing. Existing data stays."""
        await self._storage.prepare()
        with suppress(ConflictError):
            await self._storage.create_file(POINTER, self._adapter.dump_json(self.nothing))

    async def close(self) -> None:
        await self._storage.close()

    @property
    def nothing(self) -> P:
        """The state of a store before the first index is published."""
        return self._pointer()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn[P] | None]:
        """Acquire the exclusive right to write, or yield None if another process has this right. A cancellation
        also releases the right, even during acquisition or release.
        """
        lease = await self._acquired()
        if lease is None:
            yield None
            return
        renewing = asyncio.create_task(self._keep(lease))
        try:
            yield await self._found(lease)
        finally:
            await _to_the_end(self._end(renewing, lease))

    async def published(self) -> P:
        """Read the current published state."""
        pointer = await self._storage.read_file(POINTER)
        return self._adapter.validate_json(pointer.content) if pointer else self.nothing

    async def publish(self, turn: Turn[P], published: P) -> None:
        """Replace the published state.

        Raises:
            ConflictError: Another process has published since this turn began.
        """
        await self._storage.swap_file(POINTER, self._adapter.dump_json(published), turn.version, turn.lease)

    async def add_index(self, content: bytes) -> str:
        """Store an index under a name that contains its content hash. Return this name."""
        name = INDEXES + sha256(content).hexdigest()
        with suppress(ConflictError):  # an index with the same content already exists
            await self._storage.create_file(name, content)
        return name

    async def has_index(self, name: str | None) -> bool:
        return name in {entry.name for entry in await self._storage.list_files(INDEXES)}

    async def index(self, name: str) -> bytes | None:
        """Return the index with this name, or None if it was deleted.

        Raises:
            StorageError: The stored data is corrupt.
        """
        stored = await self._storage.read_file(name)
        if stored and INDEXES + sha256(stored.content).hexdigest() != name:
            raise StorageError(f"{name} is corrupt: its content does not match the hash in its name.")
        return stored.content if stored else None

    async def remove_old_indexes(self, current: str, now: datetime) -> None:
        """Delete indexes that no process uses any longer. The current index, the newest index and recent indexes
        are kept.
        """
        entries = sorted(await self._storage.list_files(INDEXES), key=lambda entry: entry.written)
        for entry in entries[:-INDEXES_KEPT]:
            if entry.name != current and now - entry.written > INDEX_KEPT_FOR:
                await self._storage.remove_file(entry.name)

    @cached_property
    def _adapter(self) -> TypeAdapter[P]:
        return TypeAdapter(self._pointer)

    async def _acquired(self) -> str | None:
        acquiring = asyncio.ensure_future(self._storage.acquire(POINTER, LEASE_SECONDS))
        try:
            return await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            with suppress(StorageError):
                if lease := await acquiring:
                    await self._give_back(lease)
            raise

    async def _found(self, lease: str) -> Turn[P]:
        pointer = await self._storage.read_file(POINTER)
        if pointer is None:
            raise StorageError(f"{POINTER} was removed while it was leased.")
        return Turn(lease, pointer.version, self._adapter.validate_json(pointer.content))

    async def _keep(self, lease: str) -> None:
        while True:
            await asyncio.sleep(self._renewal_seconds)
            try:
                await self._storage.renew(POINTER, lease)
            except StorageError as error:
                # It is harmless if the lease is lost early: publishing fails, and the next turn repeats the work.
                logger.warning("The lease for this turn was not renewed: %s", error)

    async def _end(self, renewing: asyncio.Task[None], lease: str) -> None:
        renewing.cancel()
        await asyncio.wait([renewing])
        await self._give_back(lease)

    async def _give_back(self, lease: str) -> None:
        try:
            await self._storage.release(POINTER, lease)
        except StorageError as error:
            logger.warning("The lease was not released, and expires in %d s: %s", LEASE_SECONDS, error)


async def _to_the_end(work: Coroutine[None, None, None]) -> None:
    """Wait for a task. If the caller is cancelled, wait until the task has ended before raising the cancellation."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
