"""The interface of storage for one kind of resource."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ShelfEntry:
    """What is known about a resource without reading it."""

    uri: str
    name: str
    media_type: str
    size: int
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Entries:
    """A page of resources, and where the next one starts, if there is one."""

    entries: Sequence[ShelfEntry]
    after: str = ""


class ShelfKeeper(Protocol):
    """Stores the resources of one kind, as one caller may access them."""

    async def entries(self, prefix: str, after: str, most: int) -> Entries:
        """The resources with this URI prefix, from where the previous page ended."""

    async def look(self, uri: str) -> ShelfEntry | None: ...

    async def read(self, uri: str, start: int, most: int) -> tuple[ShelfEntry, bytes] | None:
        """One resource, with its content up to this many bytes."""

    async def refuse_unfit(self, uri: str, content: bytes | None, media_type: str, etag: str) -> None:
        """Refuse what this caller cannot write there; without content, what they cannot delete.

        Raises:
            Refusal: It cannot.
        """

    async def write(self, uri: str, content: bytes, media_type: str, etag: str) -> ShelfEntry:
        """Overwrite the resource with this etag; without an etag, create it.

        Raises:
            OutdatedError: It has changed. Nothing was written.
        """

    async def delete(self, uri: str, etag: str) -> None:
        """Delete the one with this etag.

        Raises:
            OutdatedError: It has changed.
            MissingError: It does not exist.
        """
