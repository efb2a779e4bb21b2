"""Parses NCRONTAB expressions like the Functions host, which uses the library NCrontab. NCRONTAB expressions differ
from cron expressions.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, time

_MONTHS = "January February March April May June July August September October November December"
_DAYS_OF_WEEK = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
# The calendar repeats after 400 years, so a schedule that does not occur within 400 years never occurs.
_YEARS_OF_A_CALENDAR = 400
_LARGEST = 2**31 - 1


class NotNcrontabError(ValueError):
    """The Functions host would reject this expression. The error message contains the reason."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of an expression: its unit, its range, and the names that can replace its numbers."""

    plural: str
    low: int
    high: int
    names: Sequence[str] = ()

    def read(self, text: str) -> list[int]:
        """Parse the numbers in a field such as `1,5-9,*/20`. Return the numbers in ascending order."""
        return sorted({number for entry in text.split(",") for number in self._entry(entry)})

    def _entry(self, text: str) -> range:
        span, stepped, step = text.partition("/")
        low, high = self._span(span, endless=bool(stepped))
        if not self.low <= low <= high <= self.high:
            raise NotNcrontabError(f"{text!r} is not valid for {self.plural}, which are {self.low} to {self.high}")
        # Like the library, treat a step of zero or less as 1.
        return range(low, high + 1, max(self._step(step), 1) if stepped else 1)

    def _span(self, text: str, *, endless: bool) -> tuple[int, int]:
        if text == "*":
            return self.low, self.high
        first, is_range, last = text.partition("-")
        start = self._number(first)
        end = self._number(last) if is_range else self.high if endless else start
        # Like the library, read "Friday to Monday" as "Monday to Friday".
        return min(start, end), max(start, end)

    def _number(self, text: str) -> int:
        if re.fullmatch(r"[0-9]{1,9}", text):
            return int(text)
        for place, name in enumerate(self.names):
            # Use the first name that starts with this text, even if the text is short: `J` is January, and `S` is
            # Sunday.
            if text and name.lower().startswith(text.lower()):
                return self.low + place
        raise NotNcrontabError(f"{text!r} is not valid for {self.plural}")

    def _step(self, text: str) -> int:
        if re.fullmatch(r"[+-]?[0-9]{1,10}", text) and abs(int(text)) <= _LARGEST:
            return int(text)
        raise NotNcrontabError(f"{text!r} is not a valid step for {self.plural}")


_FIELDS = (
    _Field("seconds", 0, 59),
    _Field("minutes", 0, 59),
    _Field("hours", 0, 23),
    _Field("days", 1, 31),
    _Field("months", 1, 12, _MONTHS.split()),
    _Field("days of the week", 0, 6, _DAYS_OF_WEEK.split()),
)


class Ncrontab:
    """An expression with six fields, or with five fields if the seconds are omitted."""

    def __init__(self, expression: str) -> None:
        """Parse an expression.

        Raises:
            NotNcrontabError: The Functions host would reject the expression.
        """
        texts = [text for text in expression.split(" ") if text]
        if len(texts) not in {5, 6}:
            raise NotNcrontabError(f"it has {len(texts)} fields, but must have six, or five without seconds")
        numbers = [field.read(text) for field, text in zip(_FIELDS, ["0", *texts][-6:], strict=True)]
        self._seconds, self._minutes, self._hours, self._days, self._months, self._days_of_week = numbers

    def next_after(self, moment: datetime) -> datetime | None:
        """The first occurrence after a time, or None if the expression has no later occurrence."""
        if self._matches(moment.date()) and (later := self._later_on_the_day(moment)):
            return datetime.combine(moment, later, moment.tzinfo)
        first = time(self._hours[0], self._minutes[0], self._seconds[0])
        day = next(self._days_after(moment.date()), None)
        return datetime.combine(day, first, moment.tzinfo) if day else None

    def _later_on_the_day(self, moment: datetime) -> time | None:
        """The next occurrence later on the same day. As in the library, the seconds are not reset when the minute or
        hour advances: for example, the next occurrence of `* 30 * * * *` after 12:00:17 is 12:30:18.
        """
        second, minute = _from(self._seconds, moment.second + 1, moment.minute)
        minute, hour = _from(self._minutes, minute, moment.hour)
        at = bisect_left(self._hours, hour)
        if at == len(self._hours):
            return None
        hour = self._hours[at]
        return time(hour, self._minutes[0] if hour > moment.hour else minute, second)

    def _days_after(self, day: date) -> Iterator[date]:
        for year in range(day.year, min(day.year + _YEARS_OF_A_CALENDAR, MAXYEAR) + 1):
            for month in self._months:
                days = (date(year, month, number) for number in self._days if number <= monthrange(year, month)[1])
                yield from (found for found in days if found > day and self._matches(found))

    def _matches(self, day: date) -> bool:
        """Whether the month, the day and the day of the week all match.

        In cron, a matching day or a matching day of the week would be sufficient.
        """
        return day.month in self._months and day.day in self._days and day.isoweekday() % 7 in self._days_of_week


def _from(numbers: Sequence[int], number: int, unit: int) -> tuple[int, int]:
    """Return a pair: the smallest number in the list that is at least `number`, and `unit`.

    If no number is large enough, return a pair: the smallest number in the list, and `unit + 1`.
    """
    at = bisect_left(numbers, number)
    return (numbers[at], unit) if at < len(numbers) else (numbers[0], unit + 1)
