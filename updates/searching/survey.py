"""Collects data that the index builder needs before it starts: the order of the updates, and the values that occur in
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kept_index.tokenizing import spellings
from shifts import give_way
from updates.changes import StoredUpdate
from updates.searching.dates import ticks
from updates.searching.statistics import Statistics, StatisticsCounter
from updates.searching.vocabulary import ValueCounter


@dataclass(frozen=True, slots=True)
class Survey:
    """The positions of the updates in the index, the sort ranks of the titles, and the number of updates for each value
    of each filter.
    """

    order: Sequence[int]
    title_ranks: Sequence[int]
    newest: str | None
    withdrawn: int
    counts: dict[str, dict[str, int]]
    statistics: Statistics

    @property
    def live(self) -> int:
        return len(self.order) - self.withdrawn


def surveyed(stored: Sequence[StoredUpdate]) -> Survey:
    """Scan all updates once. Withdrawn updates have a position but are not counted."""
    keys: list[tuple[int, str]] = []
    titles: list[str] = []
    withdrawn: set[int] = set()
    values, statistics = ValueCounter(), StatisticsCounter()
    for place, one in enumerate(stored):
        give_way()
        keys.append((-ticks(one.update.modified), one.update.id))
        titles.append(" ".join(spellings(one.update.title)))
        if one.withdrawn is None:
            values.add(one.update)
            statistics.add(one.update)
        else:
            withdrawn.add(place)
    # The newest update is first. In other sort orders, updates with equal keys keep this order.
    order = sorted(range(len(keys)), key=keys.__getitem__)
    first = next((place for place in order if place not in withdrawn), None)
    return Survey(
        order=order,
        title_ranks=_ranks([titles[place] for place in order]),
        newest=None if first is None else stored[first].update.modified,
        withdrawn=len(withdrawn),
        counts=values.counts,
        statistics=statistics.statistics,
    )


def _ranks(titles: Sequence[str]) -> list[int]:
    ranks = {title: rank for rank, title in enumerate(sorted(set(titles)))}
    return [ranks[title] for title in titles]
