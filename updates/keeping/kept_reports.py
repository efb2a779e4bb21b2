"""Stores each person's private reports for a few days, under names that cannot be guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import time
from typing import Final

from clients.storage import Storage, StorageError
from refusal import Refusal

DAYS_KEPT: Final = 7
# The maximum number of reports per owner. All unauthenticated users count as one owner, so they cannot fill the
# storage.
MOST_KEPT: Final = 10
_SECONDS_KEPT: Final = DAYS_KEPT * 24 * 3600
_FOLDER: Final = "reports/"
# A report's name contains its expiry time, its owner, and a unique suffix.
_NAME: Final = re.compile(r"(\d{11})\.([0-9a-f]{32})\.[\w-]{22}", re.ASCII)
_AWAY: Final = "The storage of reports does not respond. Try again in a minute."


@dataclass(frozen=True)
class KeptReports:
    storage: Storage
    clock: Callable[[], float] = time

    async def keep(self, owner: str, content: bytes) -> str:
        """Store a report, and return its name. If the owner has too many reports, delete the oldest of them."""
        name = f"{int(self.clock()) + _SECONDS_KEPT:011}.{_digest(owner)}.{token_urlsafe(16)}"
        try:
            await self._make_room(_digest(owner))
            await self.storage.create_file(f"{_FOLDER}{name}", content)
        except StorageError as error:
            raise Refusal(_AWAY) from error
        return name

    async def read(self, owner: str, name: str) -> bytes | None:
        """Return the owner's report with this name, or None if it no longer exists."""
        known = _NAME.fullmatch(name)
        if not known or known[2] != _digest(owner) or int(known[1]) < self.clock():
            return None
        try:
            stored = await self.storage.read_file(f"{_FOLDER}{name}")
        except StorageError as error:
            raise Refusal(_AWAY) from error
        return stored.content if stored else None

    async def forget_expired(self) -> None:
        for name, known in await self._stored():
            if int(known[1]) < self.clock():
                await self.storage.remove_file(name)

    async def _make_room(self, owner: str) -> None:
        own = [name for name, known in await self._stored() if known[2] == owner]
        for name in own[: 1 - MOST_KEPT]:
            await self.storage.remove_file(name)

    async def _stored(self) -> Sequence[tuple[str, re.Match[str]]]:
        """The stored reports, oldest first: the name of each file, and the parts of the report's name."""
        names = sorted(entry.name for entry in await self.storage.list_files(_FOLDER))
        return [(name, known) for name in names if (known := _NAME.fullmatch(name.removeprefix(_FOLDER)))]


def _digest(owner: str) -> str:
    return sha256(owner.encode()).hexdigest()[:32]
