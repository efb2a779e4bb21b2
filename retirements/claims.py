"""Who makes a work item: of several that want to, at the same moment or after one was killed, one alone.

Whoever makes one claims it first. A claim ends by itself, later than making a work item can take. Whoever takes over
one that has ended looks first whether the work item was made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import time
from typing import Final

from pydantic_core import from_json, to_json

from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal

# Making a work item is given up before its claim ends.
SECONDS_TO_MAKE: Final = 30.0
SECONDS_CLAIMED: Final = 120.0
_PARTITION: Final = "work-items"
_AWAY: Final = "Who makes which work item cannot be kept, because the storage does not answer. Try again in a minute."


@dataclass(frozen=True, slots=True)
class ItemClaim:
    """`item` is the work item that was made under it before; `is_taken_over` says that somebody may have made one."""

    key: str
    version: str | None
    item: int | None = None
    is_taken_over: bool = False


@dataclass
class ItemClaims:
    """`storage` is opened when it is first needed."""

    storage: Callable[[], Storage]
    clock: Callable[[], float] = time
    _opened: Storage | None = field(default=None, init=False)

    async def take(self, key: str) -> ItemClaim | None:
        """A claim, unless somebody else has it.

        Raises:
            Refusal: The storage does not answer.
        """
        try:
            return await self._taken(key)
        except ConflictError:
            return None
        except StorageError:
            raise Refusal(_AWAY) from None

    async def done(self, claim: ItemClaim, item: int) -> None:
        """Keep which work item was made. That this fails does no harm: it has its mark."""
        try:
            row = Row(claim.key, to_json({"item": item}), claim.version)
            await (await self._kept()).put_rows(_PARTITION, row, [])
        except StorageError:
            return

    async def give_back(self, claim: ItemClaim) -> None:
        """It is known that none was made."""
        try:
            await (await self._kept()).remove_row(_PARTITION, claim.key)
        except StorageError:
            return

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    async def _taken(self, key: str) -> ItemClaim | None:
        storage, now = await self._kept(), self.clock()
        rows = await storage.read_rows(_PARTITION, [key])
        before = from_json(rows[0].content) if rows else {}
        if before.get("until", 0.0) > now:
            return None
        row = Row(key, to_json({"until": now + SECONDS_CLAIMED}), rows[0].version if rows else None)
        written = await storage.put_rows(_PARTITION, row, [])
        return ItemClaim(key, written.version, before.get("item"), is_taken_over=bool(rows))

    async def _kept(self) -> Storage:
        if self._opened is None:
            storage = self.storage()
            await storage.prepare()
            self._opened = storage
        return self._opened
