"""Azure updates as shown in lists, with their milestones and the time until each milestone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from text.shortening import shortened
from updates.record import MONTHS, Availability
from updates.searching.search import FoundUpdate
from updates.searching.statistics import RETIREMENT

_KINDS: Final = {
    RETIREMENT: "retires",
    "General Availability": "launched",
    "Preview": "preview",
    "Private Preview": "preview",
}
_SUMMARY: Final = 220
_MOST_NAMED: Final = 3
_MONTHS_IN_A_YEAR: Final = 12
_SOON, _LATER = 3, 12


@dataclass(frozen=True, slots=True)
class Milestone:
    """A release ring, and the date when an update reaches this ring.

    The color depends on the kind of ring and on the remaining time.
    """

    ring: str
    kind: str
    date: str = ""
    words: str = ""
    distance: str = ""
    nearness: str = ""

    @classmethod
    def of(cls, availability: Availability, today: dt.date) -> Milestone:
        ring, kind = availability.ring, _KINDS.get(availability.ring, "other")
        if availability.year is None:
            return cls(ring, kind)
        words, months = words_of(availability.year, availability.month), _months_until(availability, today)
        return cls(ring, kind, availability.date or "", words, _distance(months), _nearness(months))


@dataclass(frozen=True, slots=True)
class ListedUpdate:
    """An Azure update as shown in a list."""

    found: FoundUpdate
    path: str
    summary: str
    milestones: Sequence[Milestone]
    about: Sequence[str]
    # The number of the update's products that the list does not show.
    unnamed: int

    @classmethod
    def of(cls, found: FoundUpdate, today: dt.date) -> ListedUpdate:
        about = found.products or found.product_categories
        return cls(
            found,
            path_of(found.id),
            shortened(found.description, _SUMMARY),
            [Milestone.of(availability, today) for availability in found.availabilities],
            about[:_MOST_NAMED],
            len(about[_MOST_NAMED:]),
        )


def path_of(update_id: str) -> str:
    return f"/updates/{quote(update_id, safe='')}"


def words_of(year: int, month: int | None) -> str:
    """Format a year, with its month if known."""
    return f"{MONTHS[month - 1][:3]} {year}" if month else str(year)


def _months_until(availability: Availability, today: dt.date) -> int | None:
    if availability.year is None or availability.month is None:
        return None
    return (availability.year - today.year) * _MONTHS_IN_A_YEAR + availability.month - today.month


def _distance(months: int | None) -> str:
    if months is None:
        return ""
    if months == 0:
        return "this month"
    size = abs(months)
    years = size // _MONTHS_IN_A_YEAR
    unit = f"{size} month{'s' * (size > 1)}" if size < 2 * _MONTHS_IN_A_YEAR else f"{years} years"
    return f"in {unit}" if months > 0 else f"{unit} ago"


def _nearness(months: int | None) -> str:
    if months is None or months > _LATER:
        return "far"
    if months < 0:
        return "past"
    return "soon" if months <= _SOON else "near"
