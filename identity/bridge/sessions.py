"""Sessions of a sign-in: each refresh token allows one renewal, and a second use ends the sign-in.

A second use means that one of two holders stole the token, and it is unknown which. One row per renewed sign-in counts
renewals until it expires anyway. While the storage is unavailable, nothing is renewed: access tokens usually outlast an
outage, and a thief must not profit from one.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from secrets import token_urlsafe
from time import time
from typing import Final, NoReturn

from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal

LONGEST_SECONDS: Final = 365 * 24 * 3600

_PARTITION: Final = "sessions"
_ENDED: Final = b"ended"
_REMOVED_AT_ONCE: Final = 10

logger = logging.getLogger(__name__)


class SessionOver(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """The sign-in has ended."""


class BridgeSessions:
    def __init__(self, storage: Callable[[], Storage], clock: Callable[[], float] = time) -> None:
        self._open_storage = storage
        self._opened: Storage | None = None
        self._is_prepared = False
        self._clock = clock

    def begin(self) -> str:
        """The name of a new one. It starts with the expiry, so that expired rows come first."""
        return f"{int(self._clock()) + LONGEST_SECONDS:011}.{token_urlsafe(16)}"

    async def check(self, session: str, renewals: int) -> Row:
        """Return the row to renew, if the session has been renewed this many times.

        Raises:
            SessionOver: It has ended, or this token was already used.
            Refusal: It cannot be checked at present.
        """
        if self._clock() >= _last_moment(session):
            raise SessionOver
        async with self._stored() as storage:
            found = await storage.read_rows(_PARTITION, [session])
        row = found[0] if found else Row(session, _counted(0))
        if row.content == _ENDED:
            raise SessionOver
        if _count(row) != renewals:
            await self._end(session)
        return row

    async def renew(self, row: Row) -> None:
        """Count a renewal.

        Raises:
            SessionOver: It was renewed since the check.
            Refusal: It cannot be counted at present.
        """
        counted = Row(row.key, _counted(_count(row) + 1), row.version)
        async with self._stored() as storage:
            if row.version is None:
                await self._make_room(storage)
            is_counted = await _is_written(storage, counted)
        if not is_counted:
            await self._end(row.key)

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    async def _end(self, session: str) -> NoReturn:
        async with self._stored() as storage:
            await storage.put_row(_PARTITION, Row(session, _ENDED))
        logger.warning("A refresh token was used twice, so its sign-in has ended: someone else may have the token.")
        raise SessionOver

    async def _make_room(self, storage: Storage) -> None:
        """Remove some expired rows before adding one."""
        for row in await storage.scan(_PARTITION, "", _REMOVED_AT_ONCE):
            if self._clock() >= _last_moment(row.key):
                await storage.remove_row(_PARTITION, row.key)

    @asynccontextmanager
    async def _stored(self) -> AsyncIterator[Storage]:
        if self._opened is None:
            self._opened = self._open_storage()
        try:
            if not self._is_prepared:
                await self._opened.prepare()
                self._is_prepared = True
            yield self._opened
        except StorageError:
            raise Refusal("The server cannot check this sign-in now. Try again in a minute.") from None


async def _is_written(storage: Storage, row: Row) -> bool:
    """Write the row, unless it has changed."""
    try:
        await storage.put_rows(_PARTITION, row, [])
    except ConflictError:
        # The change may be from this write itself, which was retried after a lost answer.
        return [row.content] == [found.content for found in await storage.read_rows(_PARTITION, [row.key])]
    return True


def _last_moment(session: str) -> int:
    return int(session.partition(".")[0])


def _counted(renewals: int) -> bytes:
    return f"{renewals} {token_urlsafe(8)}".encode()


def _count(row: Row) -> int:
    return int(row.content.split()[0])
