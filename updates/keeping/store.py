"""What is kept about the updates, and where: the updates, the log of changes, the runs and the index."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256

from pydantic import TypeAdapter

from clients.storage import ConflictError, Row, Storage, StorageError
from updates.changes import Change, ChangeKind, Difference, StoredUpdate
from updates.keeping.packing import Entry, Packed, batches, key_of, latest_first, newest_first
from updates.report import Outcome, SyncKind, SyncReport, Tell

# One partition holds the updates and the log, so that one batch writes an update together with its change; and the
# head, a counter that each batch moves, so that two writers cannot interleave.
UPDATES, RUNS = "updates", "runs"
HEAD, UPDATE, CHANGE = "head", "update:", "change:"
POINTER, INDEXES = "current.json", "indexes/"

LEASE_SECONDS = 60
RENEWAL_SECONDS = 20.0
INDEXES_KEPT = 3
INDEX_KEPT_FOR = timedelta(hours=1)
CHANGES_KEPT = 50_000
CHANGES_KEPT_FOR = timedelta(days=365)
RUNS_KEPT = 200
# So many rows are looked at in one go, and removed in one night: the next one goes on.
PAGE = 500
MOST_REMOVED = 5_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why the last reading of this kind was not believed, or not wholly, and when it began."""

    kind: SyncKind
    began: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Published:
    """What readers are told: which index holds which revision of the updates, and how fresh it is.

    `synced` is when the last successful sync began, and `reconciled` when the last one began that read everything.
    Everything that the feed says was modified until the checkpoint has been read.
    """

    index: str | None = None
    index_format: str = ""
    revision: int = 0
    synced: datetime | None = None
    reconciled: datetime | None = None
    checkpoint: datetime | None = None
    suspicion: Suspicion | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """How often the updates were written to, and the proof that nobody has done so since."""

    revision: int = 0
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """The right to write, which one process at a time has, and what it found when it got it."""

    lease: str
    version: str
    published: Published
    head: Head


@cache
def _published() -> TypeAdapter[Published]:
    return TypeAdapter(Published)


STORED_UPDATE, CHANGE_LOGGED, RUN = Packed(StoredUpdate), Packed(Change), Packed(SyncReport)


class UpdatesStore:
    """The updates in one storage, which any number of readers and one writer at a time may use."""

    def __init__(self, storage: Storage, renewal_seconds: float = RENEWAL_SECONDS) -> None:
        self._storage = storage
        self._renewal_seconds = renewal_seconds

    async def prepare(self) -> None:
        """Create what a sync needs; nothing that exists changes."""
        await self._storage.prepare()
        with suppress(ConflictError):
            await self._storage.create_file(POINTER, _published().dump_json(Published()))

    async def close(self) -> None:
        await self._storage.close()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn | None]:
        """Keep the right to write while the body runs; nothing if another process has it.

        Whoever is stopped gives it back, also while it is being got or given back.
        """
        lease = await self._acquired()
        if lease is None:
            yield None
            return
        renewing = asyncio.create_task(self._keep(lease))
        try:
            yield await self._found(lease)
        finally:
            await _to_the_end(self._end(renewing, lease))

    async def _acquired(self) -> str | None:
        acquiring = asyncio.ensure_future(self._storage.acquire(POINTER, LEASE_SECONDS))
        try:
            return await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            with suppress(StorageError):
                if lease := await acquiring:
                    await self._give_back(lease)
            raise

    async def _found(self, lease: str) -> Turn:
        pointer = await self._storage.read_file(POINTER)
        if pointer is None:
            raise StorageError(f"{POINTER} was removed while it was leased.")
        heads = await self._storage.read_rows(UPDATES, [HEAD])
        head = Head(int(heads[0].content), heads[0].version) if heads else Head()
        return Turn(lease, pointer.version, _published().validate_json(pointer.content), head)

    async def _keep(self, lease: str) -> None:
        while True:
            await asyncio.sleep(self._renewal_seconds)
            try:
                await self._storage.renew(POINTER, lease)
            except StorageError as error:
                # Nothing is torn when the lease ends early: publishing fails, and the next run does it.
                logger.warning("The lease of this sync was not renewed: %s", error)

    async def _end(self, renewing: asyncio.Task[None], lease: str) -> None:
        renewing.cancel()
        await asyncio.wait([renewing])
        await self._give_back(lease)

    async def _give_back(self, lease: str) -> None:
        try:
            await self._storage.release(POINTER, lease)
        except StorageError as error:
            logger.warning("The lease of this sync ends by itself in %d s: %s", LEASE_SECONDS, error)

    async def forget(self, now: datetime) -> None:
        """Remove the changes and the runs of long ago.

        Nobody goes by them, so that a run may be killed between two of these rows: the next one removes the rest.
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
        """When the run began that has not ended, if the newest is one."""
        newest = await self.runs(1)
        return newest[0].started if newest and newest[0].outcome is Outcome.UNFINISHED else None

    async def published(self) -> Published:
        """What readers are told; where nothing was ever published, that."""
        pointer = await self._storage.read_file(POINTER)
        return _published().validate_json(pointer.content) if pointer else Published()

    async def publish(self, turn: Turn, published: Published) -> None:
        """Tell readers something new.

        Raises:
            ConflictError: Another process has had a turn since.
        """
        await self._storage.swap_file(POINTER, _published().dump_json(published), turn.version, turn.lease)

    async def updates(self, ids: Collection[str] | None = None) -> dict[str, StoredUpdate]:
        """Return what is known of these updates, or all updates, by id."""
        if ids is None:
            rows = await self._storage.scan(UPDATES, UPDATE)
        else:
            rows = await self._storage.read_rows(UPDATES, [UPDATE + key_of(update_id) for update_id in ids])
        return await asyncio.to_thread(_by_id, rows)  # thousands of them would hold up requests

    async def write(self, head: Head, differences: Sequence[Difference], tell: Tell, *, first: bool) -> Head:
        """Write the updates, each in one step with its change. To a first reading, no update is new.

        Raises:
            ConflictError: Another process wrote since the head was read. The batches before stay.
        """
        written = 0
        entries = (_entry(difference, first=first) for difference in differences)
        for batch in batches(entries):
            head = await self._write(head, batch)
            written += len(batch)
            tell("Writing updates", written, len(differences))
        return head

    async def _write(self, head: Head, batch: Sequence[Entry]) -> Head:
        revision = head.revision + 1
        log = CHANGE + newest_first(revision)
        rows = [Row(UPDATE + entry.key, entry.stored) for entry in batch]
        rows += [Row(f"{log}:{entry.key}", entry.change) for entry in batch if entry.change]
        guard = Row(HEAD, str(revision).encode(), head.version)
        return Head(revision, (await self._storage.put_rows(UPDATES, guard, rows)).version)

    async def changes(self, limit: int) -> list[Change]:
        """Return the log, newest first."""
        return [CHANGE_LOGGED.unpack(row.content) for row in await self._storage.scan(UPDATES, CHANGE, limit)]

    async def record(self, report: SyncReport) -> None:
        """Keep the report of a run, in place of what it reported before."""
        await self._storage.put_row(RUNS, Row(latest_first(report.started), RUN.pack(report)))

    async def runs(self, limit: int) -> list[SyncReport]:
        """Return the reports, newest first."""
        return [RUN.unpack(row.content) for row in await self._storage.scan(RUNS, "", limit)]

    async def add_index(self, content: bytes) -> str:
        """Keep an index under the name that its content gives it."""
        name = INDEXES + sha256(content).hexdigest()
        with suppress(ConflictError):  # the same content is there already
            await self._storage.create_file(name, content)
        return name

    async def has_index(self, name: str | None) -> bool:
        return name in {entry.name for entry in await self._storage.list_files(INDEXES)}

    async def index(self, name: str) -> bytes | None:
        """Return the index of this name, unless it was removed.

        Raises:
            StorageError: What is stored is not what was built.
        """
        stored = await self._storage.read_file(name)
        if stored and INDEXES + sha256(stored.content).hexdigest() != name:
            raise StorageError(f"{name} is damaged: its content is not what its name says.")
        return stored.content if stored else None

    async def remove_old_indexes(self, current: str, now: datetime) -> None:
        """Remove the indexes that nobody can still be reading: neither the last few nor young."""
        entries = sorted(await self._storage.list_files(INDEXES), key=lambda entry: entry.written)
        for entry in entries[:-INDEXES_KEPT]:
            if entry.name != current and now - entry.written > INDEX_KEPT_FOR:
                await self._storage.remove_file(entry.name)


def _ending(page: Sequence[Row], kept: int, is_old: Callable[[Row], bool]) -> Sequence[Row]:
    """The rows after those that are kept. They stand newest first, so that whatever follows an old one is older."""
    return page[min(max(kept, 0), bisect_left(page, 1, key=is_old)) :]


async def _to_the_end(work: Coroutine[None, None, None]) -> None:
    """Do it, and only then be stopped, if somebody wants that meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _by_id(rows: Sequence[Row]) -> dict[str, StoredUpdate]:
    return {stored.update.id: stored for stored in (STORED_UPDATE.unpack(row.content) for row in rows)}


def _entry(difference: Difference, *, first: bool) -> Entry:
    stored, change = difference
    news = not (first and change.kind is ChangeKind.ADDED)
    return Entry(key_of(change.id), STORED_UPDATE.pack(stored), CHANGE_LOGGED.pack(change) if news else None)
