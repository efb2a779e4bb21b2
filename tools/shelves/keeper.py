"""What keeps the resources of one kind, whatever they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ShelfEntry:
    """What is known of a resource without reading it."""

    uri: str
    name: str
    media_type: str
    size: int
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Entries:
    """Some of them, and where the next page begins, if there is one."""

    entries: Sequence[ShelfEntry]
    after: str = ""


class ShelfKeeper(Protocol):
    """Keeps the resources of one kind, as they are open to one caller."""

    async def entries(self, prefix: str, after: str, most: int) -> Entries:
        """Those whose addresses begin so, from where an earlier page said that this one begins."""

    async def look(self, uri: str) -> ShelfEntry | None: ...

    async def read(self, uri: str, start: int, most: int) -> tuple[ShelfEntry, bytes] | None:
        """One, and no more of its content than so many bytes from the start."""

    async def refuse_unfit(self, uri: str, content: bytes | None, media_type: str, etag: str) -> None:
        """Refuse what cannot be written there, or not by this caller; without content, what cannot be deleted.

        Raises:
            Refusal: It cannot.
        """

    async def write(self, uri: str, content: bytes, media_type: str, etag: str) -> ShelfEntry:
        """Write it over the one with this etag; without one, where none is.

        Raises:
            OutdatedError: It is another one now. Nothing was written.
        """

    async def delete(self, uri: str, etag: str) -> None:
        """Delete the one with this etag.

        Raises:
            OutdatedError: It is another one now.
            MissingError: There is none.
        """
