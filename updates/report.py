"""The report of a sync, during and after the sync."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from time import monotonic
from typing import Self

from updates.changes import ChangeKind

SECONDS_BETWEEN_LINES = 5.0
EXAMPLES = 20

logger = logging.getLogger(__name__)

# A progress callback: receives the current step, the number of finished items, and the total if it is known.
Tell = Callable[[str, int, int | None], None]


class SyncKind(StrEnum):
    DELTA = "delta"
    RECONCILE = "reconcile"


class SyncOutcome(StrEnum):
    UNFINISHED = "unfinished"  # the sync is running, or its process was killed
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"  # the content of the feed is suspicious, so nothing was used
    FAILED = "failed"
    BUSY = "busy"  # another process is syncing


@dataclass(frozen=True, slots=True)
class Malformed:
    """A malformed record: the reason and, if readable, its id."""

    id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The report of a sync. `reason` explains why the sync was not completed or was only partly used."""

    kind: SyncKind
    started: datetime
    outcome: SyncOutcome = SyncOutcome.UNFINISHED
    reason: str | None = None
    seconds: float = 0.0
    received: int = 0
    added: int = 0
    edited: int = 0
    withdrawn: int = 0
    restored: int = 0
    malformed: int = 0
    malformed_examples: tuple[Malformed, ...] = ()
    revision: int = 0

    def __str__(self) -> str:
        counts = f"{self.received} received, {self.malformed} malformed, {self.added} added, {self.edited} edited"
        also = f"{self.withdrawn} withdrawn, {self.restored} restored"
        return f"{self.kind} {self.outcome} in {self.seconds:.1f} s: {counts}, {also}. {self.reason or ''}".strip()

    def counting(self, changes: Iterable[ChangeKind]) -> Self:
        counts = Counter(changes)
        return replace(
            self,
            added=counts[ChangeKind.ADDED],
            edited=counts[ChangeKind.EDITED],
            withdrawn=counts[ChangeKind.WITHDRAWN],
            restored=counts[ChangeKind.RESTORED],
        )


class SyncProgress:
    """Reports the progress of a sync, and logs it every few seconds and after each step."""

    def __init__(self, watch: Tell) -> None:
        self._watch = watch
        self._step = ""
        self._began = self._told = self._logged = monotonic()

    def __call__(self, step: str, done: int, total: int | None = None) -> None:
        self._watch(step, done, total)
        if step != self._step:
            self._step, self._began = step, self._told
        self._told = monotonic()
        if done == total or self._told - self._logged >= SECONDS_BETWEEN_LINES:
            self._logged = self._told
            rate = done / max(self._told - self._began, 0.001)
            logger.info("%s: %d of %s, %.0f a second", step, done, "?" if total is None else total, rate)


def watch_nothing(_step: str, _done: int, _total: int | None) -> None:
    """Discard progress reports."""
