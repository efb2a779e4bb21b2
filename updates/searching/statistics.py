"""What can be counted over all updates of an index, and when things retire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from updates.record import Update
from updates.searching.vocabulary import CATEGORIES, RING, values_of

RETIREMENT = "Retirement"
# What an index of invented updates knows about itself.
SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Facts:
    """What an index knows of itself: how many updates it holds, when the newest was modified, who built it and why."""

    total: int
    withdrawn: int
    newest: str | None
    about: dict[str, str]
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Retiring:
    """One entry of the retirement calendar. The date is `YYYY-MM`, `YYYY` or unknown."""

    date: str | None
    id: str
    title: str
    products: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of updates: by the month they were created in, by category, by ring and by month in a ring."""

    months: dict[str, int]
    categories: dict[str, int]
    rings: dict[str, int]
    months_of_rings: dict[str, dict[str, int]]
    retirements: tuple[Retiring, ...]


def statistics_of(updates: Sequence[Update]) -> Statistics:
    dated = [(availability, update) for update in updates for availability in update.availabilities]
    rings = sorted({availability.ring for availability, _ in dated})
    return Statistics(
        months=_counted(update.created[:7] for update in updates),
        categories=_counted(category for update in updates for category in values_of(update, CATEGORIES)),
        rings=_counted(ring for update in updates for ring in values_of(update, RING)),
        months_of_rings={ring: _counted(a.date for a, _ in dated if a.ring == ring and a.date) for ring in rings},
        retirements=_calendar(Retiring(a.date, u.id, u.title, u.products) for a, u in dated if a.ring == RETIREMENT),
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _calendar(entries: Iterable[Retiring]) -> tuple[Retiring, ...]:
    """By date; what has none comes last."""
    return tuple(sorted(entries, key=lambda entry: (entry.date is None, entry.date or "", entry.id)))
