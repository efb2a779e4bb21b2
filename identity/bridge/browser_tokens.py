"""Stores access tokens of users who signed in with a browser, so that pages can call services on their behalf.

A token is too long for a cookie, so an encrypted row stores the token, and the browser's encrypted cookie contains the
name of the row. An attacker would need both the row and the cookie. The row can be decrypted only for the browser and
user that the token belongs to, and only until the token expires. Refresh tokens are not stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from secrets import token_urlsafe
from time import time
from typing import ClassVar, Final

from clients.storage import Row, Storage, StorageError
from identity.caller import Caller
from identity.claims import moment
from identity.seals import LONGEST, Seals, fingerprint
from identity.unverified_token import read
from refusal import Refusal

LONGEST_SECONDS: Final = 3600
_PARTITION: Final = "tokens of browsers"
_PURPOSE: Final = "tokens of browsers 1"
_REMOVED_AT_ONCE: Final = 10
_AWAY: Final = "The server cannot read your stored sign-in now. Try again in a minute."
_NOT_FORGOTTEN: Final = "You are still signed in: the server cannot remove your sign-in now. Try again in a minute."

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _BrowserToken:
    kind: ClassVar[str] = "token of a browser"
    seconds: ClassVar[int] = LONGEST_SECONDS

    browser: str
    person: str
    until: float
    token: str = field(repr=False)


class BrowserTokens:
    """Stores access tokens of users who signed in with a browser.

    `is_for` returns whether a page needs the token of the given user; tokens that no page needs are not stored.
    """

    def __init__(
        self,
        keys: Sequence[str],
        storage: Callable[[], Storage],
        is_for: Callable[[Caller], bool],
        clock: Callable[[], float] = time,
    ) -> None:
        self._seals = Seals(keys, clock, _PURPOSE)
        self._open_storage = storage
        self._is_for = is_for
        self.clock = clock

    async def keep(self, browser: str, person: Caller, instead_of: str = "") -> str:
        """Store the user's verified token, and return the name of its row. The name is empty if the token was not
        stored.

        Errors of the storage are only logged, because the sign-in also works without a stored token.
        """
        try:
            if instead_of:
                await self._storage.remove_row(_PARTITION, instead_of)
            return await self._store(browser, person) if self._is_for(person) else ""
        except StorageError:
            logger.warning("A browser token was not stored, because the storage is not responding.")
            return ""

    async def token(self, name: str, browser: str, person: Caller) -> str:
        """Read the token from the row with this name. Return an empty string if the token has expired, or belongs to
        another browser or user.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            rows = await self._storage.read_rows(_PARTITION, [name]) if name else []
        except StorageError:
            raise Refusal(_AWAY) from None
        kept = self._seals.open(_BrowserToken, rows[0].content.decode()) if rows else None
        is_theirs = kept and (kept.browser, kept.person) == (browser, fingerprint(*person.person))
        return kept.token if kept and is_theirs and self.clock() < kept.until else ""

    async def forget(self, name: str) -> None:
        """Delete a stored token, if it exists.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            if name:
                await self._storage.remove_row(_PARTITION, name)
        except StorageError:
            raise Refusal(_NOT_FORGOTTEN) from None

    async def close(self) -> None:
        if "_storage" in vars(self):
            await self._storage.close()

    async def _store(self, browser: str, person: Caller) -> str:
        until = moment(read(person.token).claims, "exp")
        sealed = self._seals.seal(_BrowserToken(browser, fingerprint(*person.person), until, person.token))
        if until <= self.clock() or len(sealed) > LONGEST:
            return ""
        # The name starts with the time when the token expires, so that expired rows come first.
        name = f"{int(until):011}.{token_urlsafe(16)}"
        await self._storage.prepare()
        await self._make_room()
        await self._storage.put_row(_PARTITION, Row(name, sealed.encode()))
        return name

    async def _make_room(self) -> None:
        for row in await self._storage.scan(_PARTITION, "", _REMOVED_AT_ONCE):
            if self.clock() >= int(row.key.partition(".")[0]):
                await self._storage.remove_row(_PARTITION, row.key)

    @cached_property
    def _storage(self) -> Storage:
        return self._open_storage()
