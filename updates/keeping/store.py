"""Stores the updates, their change log, the sync reports and the search index."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from clients.storage import PAST_ALL_KEYS, Row, Storage
from kept_index.store import RENEWAL_SECONDS, IndexStore, Pointer
from shifts import SHIFTS, give_way
from updates.changes import StoredUpdate, UpdateChange
from updates.keeping.entries import CHANGE_LOGGED
from updates.keeping.packing import UpdateEntry, batches, key_of, latest_first, newest_first, revision_of
from updates.packed import STORED_UPDATE, PackedValues, Packing
from updates.report import SyncKind, SyncOutcome, SyncReport, Tell

# Updates and their change log share one partition, so that one batch writes an update and its change. The partition
# also contains the head row, which is a counter. Every batch increments this counter, so the batches of two writers
# cannot interleave.
UPDATES, RUNS = "updates", "runs"
HEAD, UPDATE, CHANGE = "head", "update:", "change:"
CHANGES_KEPT = 50_000
CHANGES_KEPT_FOR = timedelta(days=365)
RUNS_KEPT = 200
# The number of rows per page, and the maximum number of rows that one cleanup deletes. The next cleanup deletes more
# rows.
PAGE = 500
MOST_REMOVED = 5_000


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The reason why the result of the last sync of this kind was rejected, fully or in part.

    The same reason always has the same code. `since` is the time when the reason first occurred.
    """

    kind: SyncKind
    began: datetime
    reason: str
    code: str = ""
    since: datetime | None = None

    def following(self, before: Suspicion | None) -> Suspicion:
        is_same = before is not None and before.code == self.code
        return replace(self, since=(before.since or before.began) if before and is_same else self.began)


@dataclass(frozen=True, slots=True)
class PublishedUpdates(Pointer):
    """The published state of the updates: the current index, its revision, and the times of syncs. `synced` is the time
    when the last successful sync started, and `reconciled` is the time when the last successful full sync started.

    All updates that were modified before `checkpoint` have been read.
    """

    revision: int = 0
    synced: datetime | None = None
    reconciled: datetime | None = None
    checkpoint: datetime | None = None
    suspicion: Suspicion | None = None
    # The code of a suspicion that an operator accepted. An accepted suspicion does not block syncs.
    accepted: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """Counts how often updates were written. If the counter is unchanged, no other process has written."""

    revision: int = 0
    version: str | None = None


_RUN: Final = Packing(SyncReport)


class LoggedChange(NamedTuple):
    """A change with its unique key in the log, and the revision in which the change was written."""

    key: str
    revision: int
    change: UpdateChange


class UpdatesStore(IndexStore[PublishedUpdates]):
    """The storage of updates and their index. Many readers and one writer can use the storage at the same time."""

    def __init__(self, storage: Storage, renewal_seconds: float = RENEWAL_SECONDS) -> None:
        super().__init__(storage, PublishedUpdates, renewal_seconds)

    async def head(self) -> Head:
        """Read the counter of writes. Only the process that writes needs this counter."""
        heads = await self._storage.read_rows(UPDATES, [HEAD])
        return Head(int(heads[0].content), heads[0].version) if heads else Head()

    async def accept(self, code: str) -> bool:
        """Accept a suspicion, so that it no longer blocks syncs. Return False if another process is writing.

        Raises:
            ConflictError: Another process has published in the meantime.
        """
        async with self.turn() as turn:
            if turn is not None:
                await self.publish(turn, replace(turn.published, accepted=code))
            return turn is not None

    async def forget(self, now: datetime) -> None:
        """Delete expired changes and sync reports.

        No other data depends on these rows. If the process is killed, the next run deletes the remaining rows.
        """
        since = now - CHANGES_KEPT_FOR
        await self._trim(UPDATES, CHANGE, CHANGES_KEPT, lambda row: CHANGE_LOGGED.unpack(row.content).seen < since)
        await self._trim(RUNS, "", RUNS_KEPT, lambda _run: False)

    async def _trim(self, partition: str, prefix: str, kept: int, is_old: Callable[[Row], bool]) -> None:
        last, left = "", MOST_REMOVED
        while left > 0 and (page := await self._storage.scan(partition, prefix, PAGE, last)):
            last = page[-1].key
            gone = await asyncio.to_thread(_ending, page, kept, is_old)
            kept -= len(page)
            for row in gone[:left]:
                await self._storage.remove_row(partition, row.key)
            left -= len(gone)

    async def running(self) -> datetime | None:
        """Return the start time of the running sync, or None if no sync is running."""
        newest = await self.runs(1)
        return newest[0].started if newest and newest[0].outcome is SyncOutcome.UNFINISHED else None

    async def updates(self, ids: Collection[str] | None = None) -> PackedValues[StoredUpdate]:
        """Return the updates with these ids, or all updates, keyed by id."""
        if ids is None:
            rows = await self._storage.scan(UPDATES, UPDATE)
        else:
            rows = await self._storage.read_rows(UPDATES, [UPDATE + key_of(update_id) for update_id in ids])
        return await asyncio.to_thread(SHIFTS.do, _by_id, rows)  # in a thread, because there are thousands of rows

    async def write(self, head: Head, entries: Sequence[UpdateEntry], tell: Tell) -> Head:
        """Write each update together with its entry in the change log.

        Raises:
            ConflictError: Another process has written since the head row was read. Earlier batches are kept.
        """
        written = 0
        for batch in batches(entries):
            head = await self._write(head, batch)
            written += len(batch)
            tell("Writing updates", written, len(entries))
        return head

    async def _write(self, head: Head, batch: Sequence[UpdateEntry]) -> Head:
        revision = head.revision + 1
        log = CHANGE + newest_first(revision)
        rows = [Row(UPDATE + key_of(entry.id), entry.stored) for entry in batch]
        rows += [Row(f"{log}:{key_of(entry.id)}", entry.change) for entry in batch if entry.change]
        guard = Row(HEAD, str(revision).encode(), head.version)
        return Head(revision, (await self._storage.put_rows(UPDATES, guard, rows)).version)

    async def changes(self, limit: int) -> list[UpdateChange]:
        """Return changes from the change log, newest first."""
        return [CHANGE_LOGGED.unpack(row.content) for row in await self._storage.scan(UPDATES, CHANGE, limit)]

    async def logged(self, after: int, until: int) -> list[LoggedChange]:
        """Return the changes between two revisions, newest first."""
        last, end = f"{CHANGE}{newest_first(until + 1)}{PAST_ALL_KEYS}", CHANGE + newest_first(after)
        found: list[LoggedChange] = []
        while page := [row for row in await self._storage.scan(UPDATES, CHANGE, PAGE, last) if row.key < end]:
            last = page[-1].key
            found += await asyncio.to_thread(SHIFTS.do, _logged, page)
        return found

    async def record(self, report: SyncReport) -> None:
        """Store the report of a sync. The new report replaces the previous report of the same sync."""
        await self._storage.put_row(RUNS, Row(latest_first(report.started), _RUN.pack(report)))

    async def runs(self, limit: int) -> list[SyncReport]:
        """Return sync reports, newest first."""
        return [_RUN.unpack(row.content) for row in await self._storage.scan(RUNS, "", limit)]


def _logged(rows: Sequence[Row]) -> list[LoggedChange]:
    found: list[LoggedChange] = []
    for row in rows:
        give_way()
        key = row.key.removeprefix(CHANGE)
        found.append(LoggedChange(key, revision_of(key), CHANGE_LOGGED.unpack(row.content)))
    return found


def _ending(page: Sequence[Row], kept: int, is_old: Callable[[Row], bool]) -> Sequence[Row]:
    """Return the expired rows in a page of rows. Rows are sorted newest first, so all rows after an expired row have
    also expired.
    """
    return page[min(max(kept, 0), bisect_left(page, 1, key=is_old)) :]


def _by_id(rows: Sequence[Row]) -> PackedValues[StoredUpdate]:
    found = PackedValues(STORED_UPDATE)
    for row in rows:
        give_way()
        found.put(STORED_UPDATE.unpack(row.content).update.id, row.content)
    return found
