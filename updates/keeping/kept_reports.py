"""Reports that were made for one person, kept for some days under a name that nobody can guess."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import time
from typing import Final

from clients.storage import Storage, StorageError
from refusal import Refusal

DAYS_KEPT: Final = 7
_SECONDS_KEPT: Final = DAYS_KEPT * 24 * 3600
_FOLDER: Final = "reports/"
# When it ends, whose it is, and what makes it one of its own.
_NAME: Final = re.compile(r"(\d{11})\.([0-9a-f]{32})\.[\w-]{22}", re.ASCII)
_AWAY: Final = "The storage that keeps reports does not answer. Try again in a minute."


@dataclass(frozen=True)
class KeptReports:
    storage: Storage
    clock: Callable[[], float] = time

    async def keep(self, owner: str, content: bytes) -> str:
        """The name of the report. What ended before is removed.

        Raises:
            Refusal: The storage does not answer.
        """
        name = f"{int(self.clock()) + _SECONDS_KEPT:011}.{_digest(owner)}.{token_urlsafe(16)}"
        try:
            await self._remove_ended()
            await self.storage.create_file(f"{_FOLDER}{name}", content)
        except StorageError as error:
            raise Refusal(_AWAY) from error
        return name

    async def read(self, owner: str, name: str) -> bytes | None:
        """The report of this name, if it is there still and is this owner's.

        Raises:
            Refusal: The storage does not answer.
        """
        known = _NAME.fullmatch(name)
        if not known or known[2] != _digest(owner) or int(known[1]) < self.clock():
            return None
        try:
            stored = await self.storage.read_file(f"{_FOLDER}{name}")
        except StorageError as error:
            raise Refusal(_AWAY) from error
        return stored.content if stored else None

    async def _remove_ended(self) -> None:
        for entry in await self.storage.list_files(_FOLDER):
            known = _NAME.fullmatch(entry.name.removeprefix(_FOLDER))
            if known and int(known[1]) < self.clock():
                await self.storage.remove_file(entry.name)


def _digest(owner: str) -> str:
    return sha256(owner.encode()).hexdigest()[:32]
