"""What is kept outside of this process: rows that change together, and files with one writer at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

# What one write may hold besides its guard. Table storage takes a hundred rows and 4 MiB after an encoding that adds
# a third; beyond 1 MiB, sending holds up the other work of this process.
BATCH_ROWS = 99
BATCH_BYTES = 640 * 1024
PAST_ALL_KEYS = "~"  # sorts after every character of a key or a name


class StorageError(Exception):
    """The storage could not be reached, or did not do what it was asked. What was written before stays."""


class ConflictError(StorageError):
    """Somebody else wrote in between, or holds what was to be written. Nothing of this write happened."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. Its key consists of letters, digits and any of `-_.!:`; one that was never stored has no version."""

    key: str
    content: bytes
    version: str | None = None


@dataclass(frozen=True, slots=True)
class StoredFile:
    content: bytes
    version: str


@dataclass(frozen=True, slots=True)
class FileEntry:
    name: str
    written: datetime


class Storage(Protocol):
    """Rows in partitions, sorted by key; and files. Every method may raise a StorageError."""

    async def prepare(self) -> None:
        """Create what rows and files are kept in. Until then, everything reads as empty."""

    async def close(self) -> None: ...

    async def scan(self, partition: str, prefix: str, limit: int | None = None, after: str = "") -> list[Row]:
        """Return the first rows whose keys begin with the prefix, of those that sort after a key."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        """Return those of the rows that exist, in no particular order."""

    async def put_row(self, partition: str, row: Row) -> None:
        """Write one row, whatever was there."""

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        """Write the guard and all rows, or nothing, and answer the guard as it is stored now.

        Raises:
            ConflictError: The stored guard is not of this version; without a version, there is one.
        """

    async def remove_row(self, partition: str, key: str) -> None:
        """Remove a row, if it is there."""

    async def read_file(self, name: str) -> StoredFile | None: ...

    async def create_file(self, name: str, content: bytes) -> None:
        """Write a file that does not exist yet.

        Raises:
            ConflictError: It exists.
        """

    async def swap_file(self, name: str, content: bytes, version: str, lease: str) -> str:
        """Replace a file under its lease, and answer its new version.

        Raises:
            ConflictError: It is of another version now, or the lease has ended.
        """

    async def list_files(self, prefix: str) -> list[FileEntry]: ...

    async def remove_file(self, name: str) -> None:
        """Remove a file, if it is there."""

    async def acquire(self, name: str, seconds: int) -> str | None:
        """Lease a file for 15 to 60 seconds: nobody else can lease or swap it. None: somebody holds it."""

    async def renew(self, name: str, lease: str) -> None:
        """Begin the seconds of the lease again.

        Raises:
            ConflictError: Somebody else has leased the file since.
        """

    async def release(self, name: str, lease: str) -> None:
        """End the lease, if it has not ended."""
