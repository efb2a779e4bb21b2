"""Converts dates between the format that callers use and the format of the index."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from refusal import Refusal

TICKS_PER_SECOND = 10**7  # timestamps in the feed have seven fractional digits
_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_FRACTION = re.compile(r"(?<=\d)\.(\d+)")
_DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}\S*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Period:
    """The first and last moment of a day, month or timestamp, in ticks since year 1."""

    first: int
    last: int

    @property
    def first_month(self) -> int:
        return _month_at(self.first)

    @property
    def last_month(self) -> int:
        return _month_at(self.last)


def period(text: str, name: str) -> Period:
    """Parse `YYYY-MM-DD`, `YYYY-MM` or a timestamp. Timestamps without an offset are in UTC.

    Raises:
        Refusal: The text has another format, or the date does not exist.
    """
    found = _read(text.strip())
    if found is None:
        raise Refusal(
            f"{name} {text[:40]!r} is not a date. "
            "Write YYYY-MM-DD, YYYY-MM, or a timestamp such as 2026-03-31T12:00:00Z."
        )
    return found


# Results are cached, because in most updates the timestamps for creation, modification and change are equal.
@lru_cache(maxsize=64)
def ticks(timestamp: str) -> int:
    """Convert a timestamp to ticks of 100 nanoseconds since year 1, because a datetime cannot store the timestamp's
    last digit.
    """
    fraction = _FRACTION.search(timestamp)
    moment = datetime.fromisoformat(_FRACTION.sub("", timestamp).upper())
    since = moment.replace(tzinfo=UTC) - _BEGINNING - (moment.utcoffset() or timedelta())
    tenths = fraction[1][:7].ljust(7, "0") if fraction else "0"
    return max(0, since // _SECOND * TICKS_PER_SECOND + int(tenths))


def month_number(year: int, month: int) -> int:
    """Return the number of months since year 0, so that a range of months is a range of numbers."""
    return year * 12 + month - 1


def _read(text: str) -> Period | None:
    try:
        if match := _DATE.fullmatch(text):
            return _whole(int(match[1]), int(match[2]), None if match[3] is None else int(match[3]))
        return Period(ticks(text), ticks(text)) if _TIMESTAMP.fullmatch(text) else None
    except ValueError:  # the format is valid, but the date does not exist
        return None


def _whole(year: int, month: int, day: int | None) -> Period:
    first_day, last_day = (1, monthrange(year, month)[1]) if day is None else (day, day)
    first = datetime(year, month, first_day, tzinfo=UTC)
    days = last_day - first_day + 1
    start = (first - _BEGINNING) // _SECOND * TICKS_PER_SECOND
    return Period(start, start + days * 86_400 * TICKS_PER_SECOND - 1)


def _month_at(tick: int) -> int:
    moment = _BEGINNING + timedelta(seconds=tick // TICKS_PER_SECOND)
    return month_number(moment.year, moment.month)
