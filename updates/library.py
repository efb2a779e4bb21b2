"""Serves Azure updates in a worker process, from the newest index. Sample data is served until an index exists."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Final

from clients.storage import StorageError
from kept_index.reader import Edition, IndexReader
from refusal import Refusal
from telemetry.metrics import record_sync
from updates.changes import UpdateChange
from updates.keeping.store import LoggedChange, PublishedUpdates, Suspicion, UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.report import SyncKind, SyncReport, Tell

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

SECONDS_BETWEEN_FIRST_SYNCS: Final = 60.0
HOURS_UNTIL_STALE: Final = 6.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Health:
    """The age and state of the updates. If no sync has succeeded yet, the server uses sample data."""

    status: str
    advice: str
    total: int
    synced: datetime | None
    hours: float | None
    is_sample: bool
    failure: str | None


class UpdatesLibrary:
    """Searches updates in memory. Syncs run in the background, one at a time, and build the index."""

    def __init__(
        self,
        store: UpdatesStore,
        sync: UpdatesSync,
        reader: IndexReader[UpdatesIndex, PublishedUpdates],
        build_sample: Callable[[], UpdatesIndex] | None,
    ) -> None:
        self._store = store
        self._sync = sync
        self._reader = reader
        self._build_sample = build_sample
        self._sample: asyncio.Task[UpdatesIndex] | None = None
        self._first: asyncio.Task[None] | None = None
        self._first_began = 0.0

    def begin(self) -> None:
        """Start opening the newest index, or start a sync if no index exists. Does not block."""
        if self._first is None or (self._first.done() and self._may_try_again()):
            self._first_began = monotonic()
            self._first = asyncio.create_task(self._first_sync())

    async def settled(self) -> None:
        """Wait until the tasks that `begin` started have ended."""
        if self._first is not None:
            await asyncio.wait([self._first])

    async def end(self) -> None:
        """Cancel background tasks and close the storage."""
        if self._first is not None:
            self._first.cancel()
            await self.settled()
        await self._store.close()

    async def index(self) -> UpdatesIndex:
        """Return the newest index. If samples are served, return the sample index until the first sync ends."""
        edition = await self._edition()
        if edition is not None:
            return edition.index
        self.begin()
        if self._build_sample is not None:
            return await self._sampled(self._build_sample)
        raise Refusal(
            "There are no updates yet: the first sync is running and takes a few minutes. Try again in a minute."
            " check_azure_updates_health shows the progress."
        )

    async def sync(self, kind: SyncKind, watch: Tell | None = None) -> SyncReport:
        """Run a delta or full sync unless a sync is running, and serve the new index.

        `watch` receives progress reports.
        """
        sync = replace(self._sync, watch=watch) if watch else self._sync
        report = await (sync.delta() if kind is SyncKind.DELTA else sync.reconcile())
        record_sync(kind, report.outcome, added=report.added, edited=report.edited, withdrawn=report.withdrawn)
        await self._look()
        return report

    def seconds_since_sync(self) -> float | None:
        """Return the number of seconds since the sync that produced the open index, or None if no index is open."""
        synced = self._reader.newest.published.synced if self._reader.newest else None
        return None if synced is None else (datetime.now(UTC) - synced).total_seconds()

    @property
    def serves_sample(self) -> bool:
        return self._build_sample is not None and self._reader.newest is None

    async def changes(self, limit: int) -> list[UpdateChange]:
        """Return the changes that syncs found, newest first.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            return await self._store.changes(limit)
        except StorageError as error:
            raise _storage_refusal() from error

    async def edition(self) -> Edition[UpdatesIndex, PublishedUpdates] | None:
        """Return the newest index with its revision, or None if only sample data is available.

        Raises:
            Refusal: The storage is not responding.
        """
        edition = await self._edition()
        if edition is None:
            self.begin()
        return edition

    async def logged(self, after: int, until: int) -> list[LoggedChange]:
        """Return the logged changes between two revisions, newest first.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            return await self._store.logged(after, until)
        except StorageError as error:
            raise _storage_refusal() from error

    async def suspicion(self) -> Suspicion | None:
        """Return the reason why the last sync was rejected, fully or in part.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            return (await self._store.published()).suspicion
        except StorageError as error:
            raise _storage_refusal() from error

    async def accept(self, suspicion: Suspicion) -> None:
        """Accept a suspicion, so that this suspicion no longer blocks syncs.

        Raises:
            Refusal: A sync is running, or the storage is not responding.
        """
        try:
            is_accepted = await self._store.accept(suspicion.code)
        except StorageError as error:
            raise _storage_refusal() from error
        if not is_accepted:
            raise Refusal("A sync is running. Nothing was accepted; try again in a minute.")

    async def runs(self, limit: int) -> list[SyncReport]:
        try:
            return await self._store.runs(limit)
        except StorageError as error:
            raise _storage_refusal() from error

    async def health(self) -> Health:
        """Return the health of the updates. This method raises no errors, because errors are part of the result."""
        try:
            edition = await self._edition()
        except Refusal as refusal:
            return Health("unavailable", str(refusal), 0, None, None, is_sample=False, failure=str(refusal))
        if edition is None:
            return self._health_without_index()
        return self._health_of(edition)

    def _health_of(self, edition: Edition[UpdatesIndex, PublishedUpdates]) -> Health:
        seconds = self.seconds_since_sync()
        hours = None if seconds is None else seconds / 3600
        is_stale = hours is None or hours > HOURS_UNTIL_STALE
        failure, suspicion = self._reader.failure, self._reader.published.suspicion
        status = "stale" if is_stale else "suspicious" if suspicion else "ok"
        advice = _advice(suspicion, is_stale=is_stale, is_away=failure is not None)
        total, synced = edition.index.facts.total, edition.published.synced
        return Health(status, advice, total, synced, hours, is_sample=False, failure=failure)

    def _health_without_index(self) -> Health:
        failure, suspicion = self._reader.failure, self._reader.published.suspicion
        notes = [_advice(suspicion, is_stale=False, is_away=False)] if suspicion else []
        if self._build_sample is None:
            advice = " ".join(["The first sync is running.", *notes])
            return Health("syncing", advice, 0, None, None, is_sample=False, failure=failure)
        total = self._sample.result().facts.total if self._sample and self._sample.done() else 0
        advice = " ".join(["Sample updates are served until the first sync of the updates API.", *notes])
        return Health("sample", advice, total, None, None, is_sample=True, failure=failure)

    async def _edition(self) -> Edition[UpdatesIndex, PublishedUpdates] | None:
        try:
            return await self._reader.edition()
        except StorageError as error:
            raise _storage_refusal() from error

    async def _first_sync(self) -> None:
        try:
            if await self._reader.edition() is not None:
                return
        except StorageError as error:
            logger.warning("The updates cannot be read from storage: %s", error)
            return
        logger.info("There are no updates yet: the first sync begins")
        if self._build_sample is not None:
            logger.warning("Sample updates are served until the first sync of the updates API")
            await self._sampled(self._build_sample)
        await self.sync(SyncKind.RECONCILE)

    async def _look(self) -> None:
        try:
            await self._reader.look()
        except StorageError as error:
            logger.warning("The newest index could not be opened; retrying later: %s", error)

    async def _sampled(self, build: Callable[[], UpdatesIndex]) -> UpdatesIndex:
        if self._sample is None:
            self._sample = asyncio.create_task(asyncio.to_thread(build))
        return await asyncio.shield(self._sample)

    def _may_try_again(self) -> bool:
        return monotonic() - self._first_began > SECONDS_BETWEEN_FIRST_SYNCS


def _advice(suspicion: Suspicion | None, *, is_stale: bool, is_away: bool) -> str:
    notes = []
    if is_away:
        notes.append("The storage is not responding; the last index that was read is still in use.")
    elif is_stale:
        notes.append("The last successful sync was long ago. Check the log of the sync timers.")
    if suspicion:
        notes.append(
            f"The feed looked wrong during the {suspicion.kind} sync at {suspicion.began:%Y-%m-%d %H:%M} UTC"
            f"{_for_days(suspicion)}. {suspicion.reason} Check whether Microsoft really changed this many updates. If"
            " so, call accept_reading or raise UPDATES_LARGEST_WITHDRAWAL."
        )
    return " ".join(notes)


def _for_days(suspicion: Suspicion) -> str:
    days = (suspicion.began - (suspicion.since or suspicion.began)).days
    return f", as in the {days} days before" if days else ""


def _storage_refusal() -> Refusal:
    return Refusal("The storage of the updates does not respond. Try again in a minute.")
