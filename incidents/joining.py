"""Joins events from several sources into one entry: operations with the same ID, and builds of the same commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final

from clients.folding import folded
from incidents.events import Event

# The maximum time between events that share a correlation id.
_TOGETHER: Final = timedelta(minutes=30)
# The maximum time between two reports of the same change, or between two steps of the same change.
_SAME: Final = timedelta(minutes=5)
_BY_TIME: Final = "correlation:"
_SEGMENTS_OF_A_RESOURCE: Final = 9


def joined(events: Iterable[Event]) -> list[list[Event]]:
    """Group the events that belong to the same change."""
    ordered = sorted(events, key=lambda event: event.at)
    groups = _Groups(len(ordered))
    for key, places in _by_key(ordered).items():
        for one, other in pairwise(places):
            if not key.startswith(_BY_TIME) or ordered[other].at - ordered[one].at <= _TOGETHER:
                groups.join(one, other)
    _join_alike(ordered, groups)
    return [[ordered[place] for place in places] for places in groups.all]


def _by_key(events: Sequence[Event]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for place, event in enumerate(events):
        for key in event.keys:
            found[key].append(place)
    return found


def _join_alike(events: Sequence[Event], groups: _Groups) -> None:
    """Join changes that the same person made to the same resource at about the same time, even if different sources
    report them.
    """
    last: dict[str, int] = {}
    for place, event in enumerate(events):
        if not event.target or event.kind.is_sign:
            continue
        resource = "/".join(folded(event.target).split("/")[:_SEGMENTS_OF_A_RESOURCE])
        if resource in last and _are_same(events[last[resource]], event):
            groups.join(last[resource], place)
        last[resource] = place


def _are_same(one: Event, other: Event) -> bool:
    is_same_person = not one.who or not other.who or folded(one.who) == folded(other.who)
    if one.kind.is_noise != other.kind.is_noise or other.at - one.at > _SAME or not is_same_person:
        return False
    return one.source != other.source or one.kind is other.kind


class _Groups:
    """Groups of event numbers. Joining two numbers merges their groups (union-find)."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def join(self, one: int, other: int) -> None:
        self._above[self._first(other)] = self._first(one)

    def _first(self, number: int) -> int:
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    @property
    def all(self) -> list[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._above)):
            found[self._first(number)].append(number)
        return list(found.values())
