"""Records each notice before it is sent, so that each notice is sent only once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal

_PARTITION: Final = "notices"
_MOST_FORGOTTEN: Final = 1000
_AWAY: Final = "Cannot check which notices were sent, because the storage is not responding."


@dataclass
class Claims:
    """The records of notices that were sent or are being sent.

    `storage` is opened on first use. The ID of a notice starts with the ID of its subject, for example of a change.
    """

    storage: Callable[[], Storage]
    _opened: Storage | None = field(default=None, init=False)

    async def take(self, notice: str) -> bool:
        """Record that a notice is being sent. Return False if the notice was already recorded."""
        try:
            await self._open_storage().put_rows(_PARTITION, Row(notice, b""), [])
        except ConflictError:
            return False
        except StorageError:
            raise Refusal(_AWAY) from None
        return True

    async def give_back(self, notice: str) -> None:
        """Remove the record of a notice, if it is certain that the notice was not sent."""
        try:
            await self._open_storage().remove_row(_PARTITION, notice)
        except StorageError:
            raise Refusal(_AWAY) from None

    async def has(self, notice: str) -> bool:
        try:
            return bool(await self._open_storage().read_rows(_PARTITION, [notice]))
        except StorageError:
            raise Refusal(_AWAY) from None

    async def forget(self, after: str) -> None:
        """Remove the records whose IDs sort after this ID: these records belong to older subjects."""
        for row in await self._open_storage().scan(_PARTITION, "", _MOST_FORGOTTEN, after=after):
            await self._open_storage().remove_row(_PARTITION, row.key)

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    def _open_storage(self) -> Storage:
        if self._opened is None:
            self._opened = self.storage()
        return self._opened
