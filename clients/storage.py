"""Storage outside of this process: rows that change together, and files with one writer at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

# The limits of one write besides its guard. Table storage accepts a hundred rows and 4 MiB after an encoding that adds
# a third; sending more than 1 MiB blocks the other work of this process.
BATCH_ROWS = 99
BATCH_BYTES = 640 * 1024
PAST_ALL_KEYS = "~"  # sorts after every character of a key or a name


class StorageError(Exception):
    """The storage could not be reached, or rejected the request. Earlier writes are kept."""


class ConflictError(StorageError):
    """A concurrent write or lease prevented this write. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. Keys consist of letters, digits and `-_.!:`. A row that was never stored has no version."""

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
        """Create the table and container. Until then, everything reads as empty."""

    async def close(self) -> None: ...

    async def scan(self, partition: str, prefix: str, limit: int | None = None, after: str = "") -> list[Row]:
        """Return the first rows whose keys start with the prefix and sort after a key."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        """Return the existing rows, in no particular order."""

    async def put_row(self, partition: str, row: Row) -> None:
        """Write one row, replacing any existing one."""

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        """Write the guard and all rows, or nothing, and return the stored guard.

        Raises:
            ConflictError: The stored guard has another version or, without a version, already exists.
        """

    async def remove_row(self, partition: str, key: str) -> None:
        """Remove a row if it exists."""

    async def read_file(self, name: str) -> StoredFile | None: ...

    async def create_file(self, name: str, content: bytes) -> None:
        """Create a file.

        Raises:
            ConflictError: It already exists.
        """

    async def swap_file(self, name: str, content: bytes, version: str, lease: str) -> str:
        """Replace a file under its lease, and return its new version.

        Raises:
            ConflictError: It has another version, or the lease has expired.
        """

    async def list_files(self, prefix: str) -> list[FileEntry]: ...

    async def remove_file(self, name: str) -> None:
        """Remove a file if it exists."""

    async def acquire(self, name: str, seconds: int) -> str | None:
        """Lease a file for 15 to 60 seconds, so that nobody else can lease or swap it. None if it is already leased."""

    async def renew(self, name: str, lease: str) -> None:
        """Renew the lease.

        Raises:
            ConflictError: The file has been leased by someone else since.
        """

    async def release(self, name: str, lease: str) -> None:
        """End the lease unless it has expired."""
