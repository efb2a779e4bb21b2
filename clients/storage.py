"""Storage outside this process: rows that can be changed together, and files with a single writer at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

# The limits for the rows of one write, not counting the guard row. Table storage accepts up to 100 rows, and up to 4
# MiB of encoded data. The encoding adds a third to the size. Sending more than 1 MiB blocks the process.
BATCH_ROWS = 99
BATCH_BYTES = 640 * 1024
PAST_ALL_KEYS = "~"  # sorts after all characters that keys and names may contain


class StorageError(Exception):
    """The storage could not be reached, or rejected the request. Data that was written before is not affected."""


class ConflictError(StorageError):
    """Another write or a lease prevented this write. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row. The key of a row consists of letters, digits and `-_.!:`. A row that was never stored has no version."""

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
    """Stores files and rows. Rows are sorted by key within partitions. All methods may raise a StorageError."""

    async def prepare(self) -> None:
        """Create the table and the container if they do not exist. Before that, reading returns nothing."""

    async def close(self) -> None: ...

    async def scan(self, partition: str, prefix: str, limit: int | None = None, after: str = "") -> list[Row]:
        """Return the first rows whose keys start with `prefix` and sort after the key `after`."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        """Return all existing rows with these keys, in any order."""

    async def put_row(self, partition: str, row: Row) -> None:
        """Write a row. A row with the same key is replaced."""

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        """Write the guard row and all other rows, or write nothing. Return the stored guard.

        Raises:
            ConflictError: The version of the stored guard row differs from the version of `guard`. Or `guard` has no
                version, but a guard row already exists.
        """

    async def remove_row(self, partition: str, key: str) -> None:
        """Remove a row if it exists."""

    async def read_file(self, name: str) -> StoredFile | None: ...

    async def create_file(self, name: str, content: bytes) -> None:
        """Create a file.

        Raises:
            ConflictError: The file already exists.
        """

    async def swap_file(self, name: str, content: bytes, version: str, lease: str) -> str:
        """Replace a file on which the caller has a lease. Returns the new version.

        Raises:
            ConflictError: The file has another version, or the lease has expired.
        """

    async def list_files(self, prefix: str) -> list[FileEntry]: ...

    async def remove_file(self, name: str) -> None:
        """Remove a file if it exists."""

    async def acquire(self, name: str, seconds: int) -> str | None:
        """Lease a file for 15 to 60 seconds, so that no other process can lease or replace it.

        Returns None if the file is already leased.
        """

    async def renew(self, name: str, lease: str) -> None:
        """Renew a lease.

        Raises:
            ConflictError: Another process has leased the file in the meantime.
        """

    async def release(self, name: str, lease: str) -> None:
        """End a lease, unless it has expired."""
