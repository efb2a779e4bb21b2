"""Finds the exact days of retirements and other availability dates. The feed's fields contain only months, but titles
and texts often contain days.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

from updates.record import MONTHS, Availability
from updates.searching.statistics import RETIREMENT

_NUMBERS: Final = {name[:length].lower(): n for n, name in enumerate(MONTHS, 1) for length in (3, len(name))}
_NUMBERS["sept"] = 9
_MONTH: Final = f"({'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_FIRST: Final = re.compile(rf"\b{_DAY}[ -](?:of )?{_MONTH}\.?,?[ -](\d{{4}})\b", re.IGNORECASE | re.ASCII)
_MONTH_FIRST: Final = re.compile(rf"\b{_MONTH}\.? {_DAY},? (\d{{4}})\b", re.IGNORECASE | re.ASCII)
_NUMERIC: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b", re.ASCII)


def day_of(availability: Availability, title: str, text: Callable[[], str]) -> date | None:
    """If the title contains exactly one day in the month of the availability date, return this day. If the title
    contains no such day, the text of a retirement is searched instead.
    """
    if availability.year is None or availability.month is None:
        return None
    days = _days_within(availability, title)
    if not days and availability.ring == RETIREMENT:
        days = _days_within(availability, text())
    return days.pop() if len(days) == 1 else None


def _days_within(availability: Availability, text: str) -> set[date]:
    return {day for day in _days_in(text) if (day.year, day.month) == (availability.year, availability.month)}


def _days_in(text: str) -> Iterator[date]:
    written = [(year, _NUMBERS[month.lower()], day) for day, month, year in _DAY_FIRST.findall(text)]
    written += [(year, _NUMBERS[month.lower()], day) for month, day, year in _MONTH_FIRST.findall(text)]
    for year, month, day in [*written, *_NUMERIC.findall(text)]:
        try:
            yield date(int(year), int(month), int(day))
        except ValueError:  # the day does not exist in this month
            continue
