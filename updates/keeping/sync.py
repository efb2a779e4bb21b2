"""Syncs the stored updates with the feed. Killing a sync at any point does not affect readers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from time import monotonic
from typing import NamedTuple

from clients.storage import StorageError
from kept_index.memory import give_back, map_large_blocks
from kept_index.store import LEASE_SECONDS, Turn
from shifts import SHIFTS
from updates.changes import StoredUpdate, held_before
from updates.keeping.entries import FeedContent, entries_of, updated
from updates.keeping.packing import UpdateEntry
from updates.keeping.store import Head, PublishedUpdates, Suspicion, UpdatesStore
from updates.packed import PackedValues
from updates.reading.feed import Crawl, Doubt, FeedError, UpdatesFeed
from updates.report import EXAMPLES, SyncKind, SyncOutcome, SyncProgress, SyncReport, Tell, watch_nothing

# Why a sync can be killed at any point:
#
# 1. Before a process syncs, it acquires the lease on the pointer and reads the head row of the updates. Every batch
#    changes the head row, and fails if another process has changed this row in the meantime. Every publication changes
#    the pointer, and fails if another process has changed the pointer. Therefore, a process that lost its lease cannot
#    overwrite the work of the next process.
# 2. Reading the feed changes nothing. Each batch writes updates together with their log entries. After a kill, the
#    updates in finished batches match the feed, and each of their changes was logged once. The next sync finds and logs
#    the other changes.
# 3. The index is stored under its content hash before the pointer refers to it. If the process is killed between these
#    steps, the head row and the pointer have different revisions, and the next sync builds the index even if nothing
#    has changed. Readers follow the pointer and never see an intermediate state.
# 4. The checkpoint is part of the pointer, which is written last. Therefore, the sync after an interrupted sync reads
#    the same updates again. Unreferenced indexes and unfinished reports are harmless.
# 5. Expired rows are deleted at the end, one by one. No sync depends on expired rows. The next sync deletes the
#    remaining ones.

# Updates may be published later than their `modified` time. A delta sync finds updates that were published up to this
# much later. Only a full sync finds updates with a longer delay.
OVERLAP = timedelta(days=7)
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)

logger = logging.getLogger(__name__)

# Builds the index. The first argument contains all updates, sorted by id; the second argument is the metadata of the
# index. The function is called in a thread.
BuildIndex = Callable[[Sequence[StoredUpdate], Mapping[str, str]], bytes]


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class UpdatesSync:
    """Syncs one store with one feed. A sync rebuilds an index whose format differs from `index_format`."""

    feed: UpdatesFeed
    store: UpdatesStore
    build_index: BuildIndex
    index_format: str
    largest_withdrawal: float = 5.0  # in percent of the updates in the feed
    time_limit: float = 480.0  # in seconds
    watch: Tell = watch_nothing
    clock: Callable[[], datetime] = utc_now

    async def delta(self) -> SyncReport:
        """Read recently modified updates, or all updates if the store has never had a full sync."""
        return await self._run(SyncKind.DELTA)

    async def reconcile(self) -> SyncReport:
        """Read all updates. Only a full sync finds withdrawn updates, and edits that did not change `modified`."""
        return await self._run(SyncKind.RECONCILE)

    async def _run(self, kind: SyncKind) -> SyncReport:
        map_large_blocks()
        began = monotonic()
        report = SyncReport(kind, self.clock())
        report = replace(await self._take_turn_in_time(report), seconds=round(monotonic() - began, 3))
        await self._keep(report)
        await asyncio.to_thread(give_back)
        return report

    async def _take_turn_in_time(self, report: SyncReport) -> SyncReport:
        try:
            async with asyncio.timeout(self.time_limit):
                return await self._take_turn(report)
        except TimeoutError:
            reason = f"The sync did not finish within {self.time_limit:.0f} s; the next sync continues from there."
            return replace(report, outcome=SyncOutcome.FAILED, reason=reason)
        except (FeedError, StorageError) as error:
            return replace(report, outcome=SyncOutcome.FAILED, reason=str(error))

    async def _take_turn(self, report: SyncReport) -> SyncReport:
        await self.store.prepare()
        async with self.store.turn() as turn:
            if turn is None:
                return replace(report, outcome=SyncOutcome.BUSY, reason=await self._who_else())
            head = await self.store.head()
            if turn.published.reconciled is None:
                report = replace(report, kind=SyncKind.RECONCILE)
            await self.store.record(report)
            return await self._sync(report, turn, head, SyncProgress(self.watch))

    async def _who_else(self) -> str:
        began = await self.store.running()
        since = f", since {began:%Y-%m-%d %H:%M:%S} UTC" if began else ""
        return f"Another sync is running{since}. If its process was killed, you can try again after {LEASE_SECONDS} s."

    async def _sync(self, report: SyncReport, turn: Turn[PublishedUpdates], head: Head, tell: Tell) -> SyncReport:
        try:
            written = await self._write(report, turn.published, head, tell)
        except _SuspiciousReadingError as error:
            suspected = error.suspicion.following(turn.published.suspicion)
            await self.store.publish(turn, replace(turn.published, suspicion=suspected))
            return replace(error.report, outcome=SyncOutcome.REFUSED, reason=error.reason)
        await self._publish(turn, written, tell)
        if report.kind is SyncKind.RECONCILE:
            await self._forget(report.started)
        return written.report

    async def _write(self, report: SyncReport, published: PublishedUpdates, head: Head, tell: Tell) -> _Written:
        """Read the feed, and write the differences to the store.

        Raises:
            _SuspiciousReadingError: Implausibly many updates are missing. Nothing was written.
        """
        full = report.kind is SyncKind.RECONCILE
        crawl = await self.feed.read(tell, since=None if full else _overlapping(published))
        known = await self.store.updates(None if full else crawl.updates)
        believed = _believed(crawl, published.accepted)
        held = await asyncio.to_thread(SHIFTS.do, held_before, known) if full else set()
        absent = sorted(held - crawl.present) if full and not believed.doubt else []
        report = _received(report, crawl)
        self._check(report, len(held), absent, published.accepted)
        gone = await self.feed.lacking(absent)
        content = FeedContent(crawl.updates, report.started, gone, is_first=published.synced is None)
        entries = await asyncio.to_thread(SHIFTS.do, entries_of, known, content)
        head = await self.store.write(head, entries, tell)
        published = _advanced(published, believed, report)
        if full and not crawl.doubt:
            published = replace(published, accepted="")  # the accepted suspicion did not recur
        everything = updated(known, entries) if full else None
        return _Written(_done(report, believed, entries, head), published, head, everything)

    def _check(self, report: SyncReport, held: int, absent: Sequence[str], accepted: str) -> None:
        code = _code_of(absent)
        if (reason := self._suspicion(report, held, absent)) and code != accepted:
            suspicion = Suspicion(report.kind, report.started, f"The sync was rejected: {reason}", code)
            raise _SuspiciousReadingError(report, reason, suspicion)

    def _suspicion(self, report: SyncReport, held: int, absent: Sequence[str]) -> str | None:
        if report.kind is SyncKind.RECONCILE and report.received == report.malformed:
            return "The feed has no readable records."
        percent = 100 * len(absent) / max(held, 1)
        if percent > self.largest_withdrawal:
            return f"{percent:.1f} % of the known updates are missing. The limit is {self.largest_withdrawal:g} %."
        return None

    async def _publish(self, turn: Turn[PublishedUpdates], written: _Written, tell: Tell) -> None:
        published, head = written.published, written.head
        indexed = (published.revision, published.index_format) == (head.revision, self.index_format)
        if indexed and await self.store.has_index(published.index):
            await self.store.publish(turn, published)
            return
        index = await self._index(written, tell)
        published = replace(published, index=index, index_format=self.index_format, revision=head.revision)
        await self.store.publish(turn, published)
        await self.store.remove_old_indexes(index, self.clock())

    async def _forget(self, now: datetime) -> None:
        try:
            await self.store.forget(now)
        except StorageError as error:
            logger.warning("Expired data could not be removed; the next sync tries again: %s", error)

    async def _index(self, written: _Written, tell: Tell) -> str:
        everything = await self.store.updates() if written.everything is None else written.everything
        count = len(everything)
        tell("Building the index", 0, count)
        about = {"revision": str(written.head.revision), "built": self.clock().isoformat()}
        content = await asyncio.to_thread(SHIFTS.do, self.build_index, everything.in_order(), about)
        # Release the updates now, because building the index used several times the size of the index in memory.
        everything.clear()
        await asyncio.to_thread(give_back)
        tell("Building the index", count, count)
        return await self.store.add_index(content)

    async def _keep(self, report: SyncReport) -> None:
        logger.log(logging.WARNING if report.reason else logging.INFO, "Sync: %s", report)
        if report.outcome is SyncOutcome.BUSY:
            return
        try:
            await self.store.record(report)
        except StorageError as error:
            logger.warning("The report of this sync could not be stored: %s", error)


class _Written(NamedTuple):
    """The result of a sync that has not been published yet. `everything` contains all updates if they are already in
    memory.
    """

    report: SyncReport
    published: PublishedUpdates
    head: Head
    everything: PackedValues[StoredUpdate] | None


class _SuspiciousReadingError(Exception):
    """Implausibly many updates are missing from the feed."""

    def __init__(self, report: SyncReport, reason: str, suspicion: Suspicion) -> None:
        super().__init__(reason)
        self.report = report
        self.reason = reason
        self.suspicion = suspicion


def _believed(crawl: Crawl, accepted: str) -> Crawl:
    """Remove the doubt about the feed if an operator has accepted it."""
    return replace(crawl, doubt=None) if crawl.doubt and crawl.doubt.code == accepted else crawl


def _overlapping(published: PublishedUpdates) -> datetime | None:
    return published.checkpoint and published.checkpoint - OVERLAP


def _received(report: SyncReport, crawl: Crawl) -> SyncReport:
    malformed = crawl.malformed
    return replace(report, received=crawl.received, malformed=len(malformed), malformed_examples=malformed[:EXAMPLES])


def _advanced(published: PublishedUpdates, crawl: Crawl, report: SyncReport) -> PublishedUpdates:
    saw_everything = report.kind is SyncKind.RECONCILE and not crawl.doubt
    moments = map(_moment, crawl.modified)
    # Ignore future dates, which are errors: with a checkpoint in the future, syncs would miss all updates until that
    # date.
    past = [moment for moment in moments if EARLIEST <= moment <= report.started]
    return replace(
        published,
        synced=report.started,
        reconciled=report.started if saw_everything else published.reconciled,
        checkpoint=max([*past, published.checkpoint or EARLIEST]),
        suspicion=_suspicion_after(published.suspicion, crawl, report),
    )


def _suspicion_after(before: Suspicion | None, crawl: Crawl, report: SyncReport) -> Suspicion | None:
    if crawl.doubt:
        suspected = Suspicion(report.kind, report.started, _unsure(crawl.doubt), crawl.doubt.code)
        return suspected.following(before)
    # A delta sync cannot tell whether a suspicion that a full sync raised still applies.
    is_answered = report.kind is SyncKind.RECONCILE or (before is not None and before.kind is SyncKind.DELTA)
    return None if is_answered else before


def _unsure(doubt: Doubt) -> str:
    return f"Nothing was withdrawn, because {doubt.reason}."


def _code_of(absent: Sequence[str]) -> str:
    """Return a code that identifies this set of missing updates."""
    return f"missing-{len(absent)}-{sha256(' '.join(absent).encode()).hexdigest()[:16]}" if absent else "empty"


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _done(report: SyncReport, crawl: Crawl, entries: Sequence[UpdateEntry], head: Head) -> SyncReport:
    outcome = SyncOutcome.CHANGED if entries else SyncOutcome.UNCHANGED
    reason = _unsure(crawl.doubt) if crawl.doubt else None
    return replace(
        report.counting(entry.kind for entry in entries), outcome=outcome, reason=reason, revision=head.revision
    )
