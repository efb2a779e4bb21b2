"""Finds announced retirements in Azure updates. The date of a retirement is as precise as in the announcement."""

from __future__ import annotations

import re
from calendar import month_name, monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from weakref import WeakKeyDictionary

from retirements.mapping import NOTHING, Concerned, MappedRetirement, products
from updates.record import Availability
from updates.searching.index import UpdatesIndex
from updates.searching.search import FoundUpdate, SearchFilters, UpdateSearch

TAG: Final = "Retirements"
RING: Final = "Retirement"
_NO_ENTRY: Final = "This server does not know yet which resources this retirement affects."
_MOST: Final = 5000
_LEAD: Final = re.compile(r"^\s*(retirement|update|announcing)\s*:\s*", re.IGNORECASE)
_NUMBERS: Final = {name.lower(): number for number, name in enumerate(month_name) if name}
_MONTHS: Final = "|".join(_NUMBERS)
# Dates like "May 31, 2027", "May 31st 2027", "31 May 2027", and "9/25/2028" in American order.
_DAY: Final = r"(?P<day>\d{1,2})(?:\s*(?:st|nd|rd|th))?"
_YEAR: Final = r"(?P<year>\d{4})\b"
_DATES: Final = (
    re.compile(rf"\b(?P<month>{_MONTHS})\s+{_DAY}(?:\s*,)?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b{_DAY}\s+(?P<month>{_MONTHS})(?:\s*,)?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b(?P<month>\d{{1,2}})\s?/\s?{_DAY}\s?/\s?{_YEAR}"),
)


@dataclass(frozen=True, slots=True)
class Announcement:
    """An announced retirement. `due` is `YYYY-MM-DD`, `YYYY-MM`, `YYYY` or empty, as precise as the announcement."""

    update: str
    title: str
    text: str
    products: tuple[str, ...]
    due: str
    url: str
    entry: MappedRetirement | None = None

    @property
    def name(self) -> str:
        """The title of the announcement without the leading word "Retirement"."""
        return _LEAD.sub("", self.title)

    @property
    def concerned(self) -> tuple[Concerned, ...]:
        """The resources that the retirement may affect: those in its mapping entry or, if there is no such entry, all
        resources of its products.
        """
        return self.entry.concerned if self.entry else products().of_products(self.products)

    @property
    def cannot(self) -> str:
        """The reason why affected resources cannot be determined, or an empty string if they can be determined."""
        if self.entry is None:
            return _NO_ENTRY
        return products().reasons[self.entry.cannot] if self.entry.cannot else ""

    def is_of(self, cloud: str) -> bool:
        return self.entry is None or self.entry.is_of(cloud)

    @property
    def touches_nothing(self) -> bool:
        return self.entry is not None and self.entry.cannot == NOTHING


_read: WeakKeyDictionary[UpdatesIndex, tuple[Announcement, ...]] = WeakKeyDictionary()


def announced(index: UpdatesIndex) -> tuple[Announcement, ...]:
    """Return all announced retirements that are not withdrawn, soonest first. Each index is read only once."""
    if index not in _read:
        _read[index] = tuple(sorted(_all(index), key=lambda one: (one.due or "9999", one.update)))
    return _read[index]


def _all(index: UpdatesIndex) -> Iterator[Announcement]:
    found: dict[int, None] = {}
    for filters in (SearchFilters(tags=(TAG,)), SearchFilters(availability_ring=RING)):
        if _has(index, filters):
            found |= dict.fromkeys(index.documents(UpdateSearch(filters=filters, limit=_MOST)))
    for document in found:
        yield announcement(index.update(document), index.body(document))


def _has(index: UpdatesIndex, filters: SearchFilters) -> bool:
    """Check whether the index contains these filter values, because a search with an unknown value
    would be rejected.
    """
    known = index.facts.counts
    return all(name in known["tags"] for name in filters.tags) and (
        filters.availability_ring is None or filters.availability_ring in known["availabilityRing"]
    )


def announcement(update: FoundUpdate, text: str) -> Announcement:
    return Announcement(
        update.id,
        update.title,
        text,
        update.products,
        due_of(update.title, text, update.availabilities),
        update.url,
        products().entry_of(update.title, update.products),
    )


def due_of(title: str, text: str, availabilities: Sequence[Availability]) -> str:
    """Return the month from the feed or, if the title contains exactly one day of this month, that day.

    If the title contains no day of this month, the text determines the day in the same way.
    """
    dates = [one.date for one in availabilities if one.ring == RING and one.date]
    month = max(dates, default="")
    if len(month) < len("YYYY-MM"):
        return month
    for words in (title, text):
        days = {found for found in _days_in(words) if found.startswith(month)}
        if days:
            return days.pop() if len(days) == 1 else month
    return month


def first_day_of(due: str) -> str:
    """Return the earliest possible day of a date whose day or month may be missing."""
    return f"{due}{'-01' * (2 - due.count('-'))}" if due else ""


def last_day_of(due: str) -> str:
    """Return the latest possible day of a date whose day or month may be missing."""
    match due.split("-"):
        case [year, month]:
            return f"{due}-{monthrange(int(year), int(month))[1]:02}"
        case [year] if year:
            return f"{year}-12-31"
        case _:
            return due


def _days_in(text: str) -> Iterator[str]:
    for pattern in _DATES:
        for found in pattern.finditer(text):
            if day := _day(found):
                yield day


def _day(found: re.Match[str]) -> str:
    month = _NUMBERS.get(found["month"].lower()) or int(found["month"])
    try:
        return date(int(found["year"]), month, int(found["day"])).isoformat()
    except ValueError:
        return ""
