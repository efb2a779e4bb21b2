"""The storage interface for a kind of resource."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ShelfEntry:
    """The properties of a resource that are known without reading its content."""

    uri: str
    name: str
    media_type: str
    size: int
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Entries:
    """A page of resources, and where the next page starts."""

    entries: Sequence[ShelfEntry]
    after: str = ""


class ShelfKeeper(Protocol):
    """Stores the resources of one kind, limited to what the caller may access."""

    async def entries(self, prefix: str, after: str, most: int) -> Entries:
        """Return the next page of the resources with this URI prefix."""

    async def look(self, uri: str) -> ShelfEntry | None: ...

    async def read(self, uri: str, start: int, most: int) -> tuple[ShelfEntry, bytes] | None:
        """Return a resource and at most `most` bytes of its content, beginning at `start`."""

    async def refuse_unfit(self, uri: str, content: bytes | None, media_type: str, etag: str) -> None:
        """Check that the caller can write this content. If `content` is None, check that the caller can delete the
        resource.

        Raises:
            Refusal: The caller cannot write or delete this resource.
        """

    async def write(self, uri: str, content: bytes, media_type: str, etag: str) -> ShelfEntry:
        """Overwrite the resource if it still has this etag. If the etag is empty, create the resource.

        Raises:
            OutdatedError: The resource has changed. Nothing was written.
        """

    async def delete(self, uri: str, etag: str) -> None:
        """Delete the resource if it still has this etag.

        Raises:
            OutdatedError: The resource has changed.
            MissingError: The resource does not exist.
        """
