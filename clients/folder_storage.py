"""Storage in a local folder: an SQLite file that several processes can use, and that a crash does not damage."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4

from clients.storage import PAST_ALL_KEYS, ConflictError, FileEntry, Row, StorageError, StoredFile

P = ParamSpec("P")
R = TypeVar("R")

SECONDS_TO_WAIT_FOR_ANOTHER_PROCESS = 30
SCHEMA = """
CREATE TABLE IF NOT EXISTS rows (
    partition TEXT, key TEXT, content BLOB, version TEXT, PRIMARY KEY (partition, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, content BLOB, version TEXT, written REAL);
CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT, seconds INTEGER, until REAL);
"""


def _transaction(
    begin: str,
) -> Callable[
    [Callable[Concatenate[FolderStorage, sqlite3.Connection, P], R]],
    Callable[Concatenate[FolderStorage, P], Coroutine[Any, Any, R]],
]:
    """Run a method in a thread, with its own connection and in a single transaction."""

    def decorate(
        method: Callable[Concatenate[FolderStorage, sqlite3.Connection, P], R],
    ) -> Callable[Concatenate[FolderStorage, P], Coroutine[Any, Any, R]]:
        @wraps(method)
        async def run(self: FolderStorage, /, *args: P.args, **kwargs: P.kwargs) -> R:
            def work() -> R:
                with self.connected(begin) as database:
                    return method(self, database, *args, **kwargs)

            return await asyncio.to_thread(work)

        return run

    return decorate


_reading = _transaction("BEGIN")
# Write transactions lock the database at the start. A transaction that reads first could fail when it writes.
_writing = _transaction("BEGIN IMMEDIATE")


class FolderStorage:
    """Storage in a folder. The folder is created on first use."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    @contextmanager
    def connected(self, begin: str) -> Iterator[sqlite3.Connection]:
        """Run a transaction. The transaction is committed unless the block raises an exception."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as database:
                # SQLite flushes commits to disk, including the removal of the journal.
                database.execute("PRAGMA synchronous = EXTRA")
                database.executescript(SCHEMA)
                database.execute(begin)
                yield database
                database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"Cannot use the storage in {self._folder}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        path, wait = self._folder / "storage.sqlite", SECONDS_TO_WAIT_FOR_ANOTHER_PROCESS
        return sqlite3.connect(path, timeout=wait, isolation_level=None)

    @_reading
    def prepare(self, database: sqlite3.Connection) -> None:
        """Do nothing, because opening the database creates the tables."""

    async def close(self) -> None:
        """Do nothing, because nothing stays open between calls."""

    @_reading
    def scan(
        self, database: sqlite3.Connection, partition: str, prefix: str, limit: int | None = None, after: str = ""
    ) -> list[Row]:
        found = database.execute(
            "SELECT key, content, version FROM rows"
            " WHERE partition = ? AND key >= ? AND key > ? AND key < ? ORDER BY key LIMIT ?",
            (partition, prefix, after, prefix + PAST_ALL_KEYS, -1 if limit is None else limit),
        )
        return [Row(*row) for row in found]

    @_reading
    def read_rows(self, database: sqlite3.Connection, partition: str, keys: Collection[str]) -> list[Row]:
        query = "SELECT key, content, version FROM rows WHERE partition = ? AND key = ?"
        found = (database.execute(query, (partition, key)).fetchone() for key in keys)
        return [Row(*row) for row in found if row]

    @_writing
    def put_row(self, database: sqlite3.Connection, partition: str, row: Row) -> None:
        _put(database, partition, [row])

    @_writing
    def put_rows(self, database: sqlite3.Connection, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        query = "SELECT version FROM rows WHERE partition = ? AND key = ?"
        if _only(database.execute(query, (partition, guard.key))) != guard.version:
            raise ConflictError("The rows have changed in the meantime.")
        _put(database, partition, rows)
        return _put(database, partition, [guard])[0]

    @_writing
    def remove_row(self, database: sqlite3.Connection, partition: str, key: str) -> None:
        database.execute("DELETE FROM rows WHERE partition = ? AND key = ?", (partition, key))

    @_reading
    def read_file(self, database: sqlite3.Connection, name: str) -> StoredFile | None:
        found = database.execute("SELECT content, version FROM files WHERE name = ?", (name,)).fetchone()
        return StoredFile(*found) if found else None

    @_writing
    def create_file(self, database: sqlite3.Connection, name: str, content: bytes) -> None:
        if _only(database.execute("SELECT 1 FROM files WHERE name = ?", (name,))):
            raise ConflictError(f"{name} already exists.")
        self._put_file(database, name, content)

    @_writing
    def swap_file(self, database: sqlite3.Connection, name: str, content: bytes, version: str, lease: str) -> str:
        if _only(database.execute("SELECT version FROM files WHERE name = ?", (name,))) != version:
            raise ConflictError(f"{name} has changed in the meantime.")
        if self._holder(database, name) != lease:
            raise ConflictError(f"The lease on {name} has expired.")
        return self._put_file(database, name, content)

    @_reading
    def list_files(self, database: sqlite3.Connection, prefix: str) -> list[FileEntry]:
        found = database.execute(
            "SELECT name, written FROM files WHERE name >= ? AND name < ? ORDER BY name",
            (prefix, prefix + PAST_ALL_KEYS),
        )
        return [FileEntry(name, datetime.fromtimestamp(written, UTC)) for name, written in found]

    @_writing
    def remove_file(self, database: sqlite3.Connection, name: str) -> None:
        database.execute("DELETE FROM files WHERE name = ?", (name,))

    @_writing
    def acquire(self, database: sqlite3.Connection, name: str, seconds: int) -> str | None:
        if self._holder(database, name):
            return None
        lease = uuid4().hex
        values = (name, lease, seconds, self._clock() + seconds)
        database.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", values)
        return lease

    @_writing
    def renew(self, database: sqlite3.Connection, name: str, lease: str) -> None:
        query = "UPDATE leases SET until = ? + seconds WHERE name = ? AND holder = ?"
        if not database.execute(query, (self._clock(), name, lease)).rowcount:
            raise ConflictError(f"{name} is leased by another process.")

    @_writing
    def release(self, database: sqlite3.Connection, name: str, lease: str) -> None:
        database.execute("DELETE FROM leases WHERE name = ? AND holder = ?", (name, lease))

    def _holder(self, database: sqlite3.Connection, name: str) -> str | None:
        query = "SELECT holder FROM leases WHERE name = ? AND until > ?"
        holder: str | None = _only(database.execute(query, (name, self._clock())))
        return holder

    def _put_file(self, database: sqlite3.Connection, name: str, content: bytes) -> str:
        version = uuid4().hex
        values = (name, content, version, self._clock())
        database.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", values)
        return version


def _put(database: sqlite3.Connection, partition: str, rows: Sequence[Row]) -> list[Row]:
    stored = [Row(row.key, row.content, uuid4().hex) for row in rows]
    values = ((partition, row.key, row.content, row.version) for row in stored)
    database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", values)
    return stored


def _only(found: sqlite3.Cursor) -> Any:
    """The result of a query that returns a single value; None if the query returns no row."""
    row = found.fetchone()
    return row[0] if row else None
