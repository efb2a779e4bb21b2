"""Ensures that only one process creates a work item, even if processes run concurrently or are killed.

A process must claim a work item before creating it. A claim lasts longer than it takes to create a work item. A process
that takes over an expired claim first checks whether the work item exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import time
from typing import Final

from pydantic_core import from_json, to_json

from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal

# `SECONDS_CLAIMED` is the time after which a claim expires. `SECONDS_TO_MAKE`, the timeout for creating a work item, is
# shorter.
SECONDS_TO_MAKE: Final = 30.0
SECONDS_CLAIMED: Final = 120.0
_PARTITION: Final = "work-items"
_AWAY: Final = "Not created: the storage that prevents duplicates does not answer. Try again in a minute."


@dataclass(frozen=True, slots=True)
class ItemClaim:
    """The right to create a work item. `item` is the work item that this claim already created.

    If `is_taken_over` is true, another process may already have created the work item.
    """

    key: str
    version: str | None
    item: int | None = None
    is_taken_over: bool = False


@dataclass
class ItemClaims:
    """Claims for creating work items. `storage` is opened on first use."""

    storage: Callable[[], Storage]
    clock: Callable[[], float] = time
    _opened: Storage | None = field(default=None, init=False)

    async def take(self, key: str) -> ItemClaim | None:
        """Claim the right to create a work item. Return None if another process has the claim.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            return await self._claim(key)
        except ConflictError:
            return None
        except StorageError:
            raise Refusal(_AWAY) from None

    async def done(self, claim: ItemClaim, item: int) -> None:
        """Record the created work item in the claim.

        A failure is harmless, because the work item can also be identified by its mark.
        """
        try:
            row = Row(claim.key, to_json({"item": item}), claim.version)
            await (await self._open_storage()).put_rows(_PARTITION, row, [])
        except StorageError:
            return

    async def give_back(self, claim: ItemClaim) -> None:
        """Release the claim. A claim must not be released if a work item was created."""
        try:
            await (await self._open_storage()).remove_row(_PARTITION, claim.key)
        except StorageError:
            return

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    async def _claim(self, key: str) -> ItemClaim | None:
        storage, now = await self._open_storage(), self.clock()
        rows = await storage.read_rows(_PARTITION, [key])
        before = from_json(rows[0].content) if rows else {}
        if before.get("until", 0.0) > now:
            return None
        row = Row(key, to_json({"until": now + SECONDS_CLAIMED}), rows[0].version if rows else None)
        written = await storage.put_rows(_PARTITION, row, [])
        return ItemClaim(key, written.version, before.get("item"), is_taken_over=bool(rows))

    async def _open_storage(self) -> Storage:
        if self._opened is None:
            storage = self.storage()
            await storage.prepare()
            self._opened = storage
        return self._opened
