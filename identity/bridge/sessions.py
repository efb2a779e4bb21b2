"""Detects stolen refresh tokens: each refresh token can be used once, and a second use ends the sign-in.

A second use means that someone has stolen the token, and the server cannot tell which request came from the thief. A
row for each renewed sign-in stores how often the sign-in was renewed, and is kept until the sign-in expires. While the
storage is unavailable, no sign-in is renewed, so that a thief cannot profit from an outage. Users are rarely affected,
because access tokens usually stay valid for longer than an outage.
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
    """The sign-in has ended, so it cannot be renewed."""


class BridgeSessions:
    def __init__(self, storage: Callable[[], Storage], clock: Callable[[], float] = time) -> None:
        self._open_storage = storage
        self._opened: Storage | None = None
        self._is_prepared = False
        self._clock = clock

    def begin(self) -> str:
        """The name of a new session. The name starts with the expiry, so that expired rows come first."""
        return f"{int(self._clock()) + LONGEST_SECONDS:011}.{token_urlsafe(16)}"

    async def check(self, session: str, renewals: int) -> Row:
        """Check that a session has been renewed exactly this many times, and return the session's row.

        Raises:
            SessionOver: The session has ended, or the refresh token was already used.
            Refusal: The storage is not responding.
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
        """Count a renewal of the session.

        Raises:
            SessionOver: Another request has renewed the session since `check` read the row.
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
        """Remove a few expired rows before adding a row."""
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
    """Write the row unless another request has changed it since it was read. Returns whether the row was written."""
    try:
        await storage.put_rows(_PARTITION, row, [])
    except ConflictError:
        # If this write succeeded, but its response was lost, the conflict comes from the automatic retry. In that case,
        # the row already has the content that this call writes.
        return [row.content] == [found.content for found in await storage.read_rows(_PARTITION, [row.key])]
    return True


def _last_moment(session: str) -> int:
    return int(session.partition(".")[0])


def _counted(renewals: int) -> bytes:
    return f"{renewals} {token_urlsafe(8)}".encode()


def _count(row: Row) -> int:
    return int(row.content.split()[0])
