"""Statistics about all updates of an index, and the retirement calendar."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from updates.record import Update
from updates.searching.vocabulary import CATEGORIES, RING, values_of

RETIREMENT = "Retirement"
# The metadata key that marks an index of sample updates.
SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Facts:
    """The metadata of an index: the number of updates, the time of the newest modification, and the metadata from the
    sync that built the index.
    """

    total: int
    withdrawn: int
    newest: str | None
    about: dict[str, str]
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Retiring:
    """An entry of the retirement calendar. The date is `YYYY-MM`, `YYYY` or None."""

    date: str | None
    id: str
    title: str
    products: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of updates: by creation month, by category, by ring, and by ring and month."""

    months: dict[str, int]
    categories: dict[str, int]
    rings: dict[str, int]
    months_of_rings: dict[str, dict[str, int]]
    retirements: tuple[Retiring, ...]


class StatisticsCounter:
    """Counts updates for the statistics, one update at a time."""

    def __init__(self) -> None:
        self._months: Counter[str] = Counter()
        self._categories: Counter[str] = Counter()
        self._rings: Counter[str] = Counter()
        self._months_of_rings: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._retiring: list[Retiring] = []

    def add(self, update: Update) -> None:
        self._months[update.created[:7]] += 1
        self._categories.update(values_of(update, CATEGORIES))
        self._rings.update(values_of(update, RING))
        for availability in update.availabilities:
            date = availability.date
            self._months_of_rings[availability.ring].update([date] if date else [])
            if availability.ring == RETIREMENT:
                self._retiring.append(Retiring(date, update.id, update.title, update.products))

    @property
    def statistics(self) -> Statistics:
        return Statistics(
            months=_sorted(self._months),
            categories=_sorted(self._categories),
            rings=_sorted(self._rings),
            months_of_rings={ring: _sorted(counts) for ring, counts in sorted(self._months_of_rings.items())},
            retirements=_calendar(self._retiring),
        )


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _calendar(entries: Iterable[Retiring]) -> tuple[Retiring, ...]:
    """Sort retirements by date. Retirements without a date come last."""
    return tuple(sorted(entries, key=lambda entry: (entry.date is None, entry.date or "", entry.id)))
