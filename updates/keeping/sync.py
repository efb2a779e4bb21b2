"""Bringing the store up to the feed, so that it can be killed at any point and readers never notice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from time import monotonic

from clients.storage import StorageError
from kept_index.store import LEASE_SECONDS, Turn
from shifts import SHIFTS
from updates.changes import StoredUpdate, held_before
from updates.keeping.entries import FeedContent, entries_of, updated
from updates.keeping.packing import UpdateEntry
from updates.keeping.store import Head, PublishedUpdates, Suspicion, UpdatesStore
from updates.packed import PackedValues
from updates.reading.feed import Crawl, Doubt, FeedError, UpdatesFeed
from updates.report import EXAMPLES, SyncKind, SyncOutcome, SyncProgress, SyncReport, Tell, watch_nothing

# Why it may be killed at any point:
#
# 1. A turn begins with the lease on the pointer and the head of the rows. Every batch moves the head and every
#    publication swaps the pointer, each only from what the turn found: whoever lost the lease unnoticed cannot
#    write into the work of the next one.
# 2. Reading changes nothing. Each batch writes updates together with their changes, so after a kill the updates of
#    finished batches equal the feed, are no difference to the next run, and are in the log once; the others
#    differ still, and are logged by the next run.
# 3. The index is written under the name of its content, then the pointer names it and the revision it holds. After
#    a kill before that, head and pointer disagree, so the next run builds the index although it finds no
#    difference. Readers go by the pointer and never see anything in between.
# 4. The checkpoint moves with the pointer, as the last step that matters, so what an unfinished run read is read
#    again. An index that no pointer names, and the record of a run that stays unfinished, harm nobody.
# 5. What is kept too long is removed after that, row by row. No run goes by it, and the next one removes the rest.

# How late a record may be published under an earlier `modified` and still be found by the next delta. Whatever is
# later still is found by the next reconcile.
OVERLAP = timedelta(days=7)
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)

logger = logging.getLogger(__name__)

# Called in a thread, with all updates in the order of their ids, and what the index is to know about itself.
BuildIndex = Callable[[Sequence[StoredUpdate], Mapping[str, str]], bytes]


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class UpdatesSync:
    """Syncs one store with one feed. An index of another format than `index_format` is built anew."""

    feed: UpdatesFeed
    store: UpdatesStore
    build_index: BuildIndex
    index_format: str
    largest_withdrawal: float = 5.0  # percent of what the feed held
    time_limit: float = 480.0  # seconds
    watch: Tell = watch_nothing
    clock: Callable[[], datetime] = utc_now

    async def delta(self) -> SyncReport:
        """Read what was modified lately; everything, as long as the store has never seen everything."""
        return await self._run(SyncKind.DELTA)

    async def reconcile(self) -> SyncReport:
        """Read everything, which also finds edits that did not move `modified`, and withdrawals."""
        return await self._run(SyncKind.RECONCILE)

    async def _run(self, kind: SyncKind) -> SyncReport:
        began = monotonic()
        report = SyncReport(kind, self.clock())
        try:
            async with asyncio.timeout(self.time_limit):
                report = await self._take_turn(report)
        except TimeoutError:
            reason = f"It was not done within {self.time_limit:.0f} s; the next run goes on from there."
            report = replace(report, outcome=SyncOutcome.FAILED, reason=reason)
        except (FeedError, StorageError) as error:
            report = replace(report, outcome=SyncOutcome.FAILED, reason=str(error))
        report = replace(report, seconds=round(monotonic() - began, 3))
        await self._keep(report)
        return report

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
        return (
            f"Another sync is running{since}. If that process was killed, its turn ends within"
            f" {LEASE_SECONDS} s: try again then."
        )

    async def _sync(self, report: SyncReport, turn: Turn[PublishedUpdates], head: Head, tell: Tell) -> SyncReport:
        full = report.kind is SyncKind.RECONCILE
        crawl = await self.feed.read(tell, since=None if full else _overlapping(turn.published))
        known = await self.store.updates(None if full else crawl.updates)
        if crawl.doubt and crawl.doubt.code == turn.published.accepted:
            crawl = replace(crawl, doubt=None)
        held = await asyncio.to_thread(SHIFTS.do, held_before, known) if full else set()
        absent = sorted(held - crawl.present) if full and not crawl.doubt else []
        report, code = _received(report, crawl), _code_of(absent)
        if (suspicion := self._suspicion(report, len(held), absent)) and code != turn.published.accepted:
            suspected = Suspicion(report.kind, report.started, f"It was refused: {suspicion}", code)
            suspected = suspected.following(turn.published.suspicion)
            await self.store.publish(turn, replace(turn.published, suspicion=suspected))
            return replace(report, outcome=SyncOutcome.REFUSED, reason=suspicion)
        gone = await self.feed.lacking(absent)
        content = FeedContent(crawl.updates, report.started, gone, is_first=turn.published.synced is None)
        entries = await asyncio.to_thread(SHIFTS.do, entries_of, known, content)
        head = await self.store.write(head, entries, tell)
        everything = updated(known, entries) if full else None
        await self._publish(turn, _advanced(turn.published, crawl, report), head, everything, tell)
        if full:
            await self._forget(report.started)
        return _done(report, crawl, entries, head)

    def _suspicion(self, report: SyncReport, held: int, absent: Sequence[str]) -> str | None:
        if report.kind is SyncKind.RECONCILE and report.received == report.malformed:
            return "The feed holds nothing that can be read."
        percent = 100 * len(absent) / max(held, 1)
        if percent > self.largest_withdrawal:
            return (
                f"{percent:.1f} % of the known updates are missing; up to {self.largest_withdrawal:g} % is plausible."
            )
        return None

    async def _publish(
        self,
        turn: Turn[PublishedUpdates],
        published: PublishedUpdates,
        head: Head,
        everything: PackedValues[StoredUpdate] | None,
        tell: Tell,
    ) -> None:
        indexed = (published.revision, published.index_format) == (head.revision, self.index_format)
        if indexed and await self.store.has_index(published.index):
            await self.store.publish(turn, published)
            return
        if everything is None:
            everything = await self.store.updates()
        index = await self._index(everything, head, tell)
        published = replace(published, index=index, index_format=self.index_format, revision=head.revision)
        await self.store.publish(turn, published)
        await self.store.remove_old_indexes(index, self.clock())

    async def _forget(self, now: datetime) -> None:
        try:
            await self.store.forget(now)
        except StorageError as error:
            logger.warning("The next run removes what is kept too long: %s", error)

    async def _index(self, everything: PackedValues[StoredUpdate], head: Head, tell: Tell) -> str:
        tell("Building the index", 0, len(everything))
        ordered = everything.sequence(sorted(everything))
        about = {"revision": str(head.revision), "built": self.clock().isoformat()}
        content = await asyncio.to_thread(SHIFTS.do, self.build_index, ordered, about)
        tell("Building the index", len(everything), len(everything))
        return await self.store.add_index(content)

    async def _keep(self, report: SyncReport) -> None:
        logger.log(logging.WARNING if report.reason else logging.INFO, "Sync: %s", report)
        if report.outcome is SyncOutcome.BUSY:
            return
        try:
            await self.store.record(report)
        except StorageError as error:
            logger.warning("This run is not recorded: %s", error)


def _overlapping(published: PublishedUpdates) -> datetime | None:
    return published.checkpoint and published.checkpoint - OVERLAP


def _received(report: SyncReport, crawl: Crawl) -> SyncReport:
    malformed = crawl.malformed
    return replace(report, received=crawl.received, malformed=len(malformed), malformed_examples=malformed[:EXAMPLES])


def _advanced(published: PublishedUpdates, crawl: Crawl, report: SyncReport) -> PublishedUpdates:
    saw_everything = report.kind is SyncKind.RECONCILE and not crawl.doubt
    moments = map(_moment, crawl.modified)
    # A date in the future is a mistake, and a checkpoint there would hide everything until then.
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
    # Reading a little says nothing of what reading everything met.
    is_answered = report.kind is SyncKind.RECONCILE or (before is not None and before.kind is SyncKind.DELTA)
    return None if is_answered else before


def _unsure(doubt: Doubt) -> str:
    return f"Nothing was withdrawn, because {doubt.reason}."


def _code_of(absent: Sequence[str]) -> str:
    """The same for the same updates that are missing."""
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
