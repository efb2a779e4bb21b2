"""The pages of retirement dates: a timeline by year and month, and a calendar of one month."""

from __future__ import annotations

import re
from calendar import Calendar
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Final

from exploring.address import PageAddress
from exploring.guests import Guest
from exploring.listed_update import ListedUpdate, words_of
from exploring.searching import Libraries
from mcp_server.http.messages import HttpAnswer, HttpRequest
from refusal import Refusal
from updates.record import MONTHS, Availability
from updates.searching.parameters import request_of
from updates.searching.search import UpdateSearch
from updates.searching.statistics import RETIREMENT
from updates.showing.days import day_of

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

TIMELINE: Final = "/retirements"
CALENDAR: Final = "/calendar"
_FILTERS: Final = ("query", "productCategories", "products")
_MOST_LISTED: Final = 60
_MOST_READ: Final = 10_000
_MONTH: Final = re.compile(r"(19|20|21)\d\d-(0[1-9]|1[0-2])")
_OF_THE_TABLE: Final = 100
_IN_A_YEAR: Final = 12
# The number of years in the timeline. Later retirements are listed below the timeline.
_YEARS_DRAWN: Final = 5


@dataclass(frozen=True, slots=True)
class RetirementEntry:
    """An Azure update that announces a retirement, and the exact day of the retirement, if known."""

    row: ListedUpdate
    when: Availability
    day: date | None

    @property
    def month(self) -> str:
        return self.when.date or ""


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """A month in the timeline. `height` is the count as a percentage of the highest count in any month."""

    name: str
    letter: str
    count: int
    height: int
    url: str
    is_past: bool


@dataclass(frozen=True, slots=True)
class TimelineYear:
    number: int
    total: int
    bars: Sequence[TimelineBar]


@dataclass(frozen=True, slots=True)
class RetirementMonth:
    """The retirements of a month, or of a year if only the year is announced."""

    date: str
    name: str
    entries: Sequence[RetirementEntry]
    total: int


@dataclass(frozen=True)
class RetirementPages:
    library: Libraries

    async def timeline(self, guest: Guest, request: HttpRequest) -> HttpAnswer:
        index, today = await (await self.library()).index(), datetime.now(UTC).date()
        address = PageAddress.of(request, (*_FILTERS, "from"))
        first = address["from"] if _MONTH.fullmatch(address["from"]) else f"{today:%Y-%m}"
        address, problem, all_found = _found(index, address, f"{min(first, f'{today:%Y}-01')}")
        counts = Counter(when.date or "" for _, when in all_found)
        listed = [
            (document, when) for document, when in all_found if (when.date or "") >= first[: len(when.date or "")]
        ]
        groups, following = _groups(index, listed, today)
        return guest.page(
            "retirements.html",
            400 if problem else 200,
            here=TIMELINE,
            problem=problem,
            is_sample=index.is_sample,
            address=address,
            years=list(_years(counts, address, today)),
            groups=groups,
            total=len(listed),
            first=words_of(int(first[:4]), int(first[5:7])),
            following=following and address.having("from", following).url,
            choices=_choices(index),
            calendar=address.at(CALENDAR).without("from").having("month", first).url,
        )

    async def calendar(self, guest: Guest, request: HttpRequest) -> HttpAnswer:
        index, today = await (await self.library()).index(), datetime.now(UTC).date()
        address = PageAddress.of(request, (*_FILTERS, "month"))
        month = address["month"] if _MONTH.fullmatch(address["month"]) else f"{today:%Y-%m}"
        address, problem, found = _found(index, address, month, month)
        entries = [
            _retirement(index, document, when, today) for document, when in found[:_OF_THE_TABLE] if when.date == month
        ]
        year, number = int(month[:4]), int(month[5:7])
        return guest.page(
            "calendar.html",
            400 if problem else 200,
            here=TIMELINE,
            problem=problem,
            is_sample=index.is_sample,
            address=address.having("month", month),
            name=f"{MONTHS[number - 1]} {year}",
            weeks=_weeks(year, number, entries),
            undated=[entry for entry in entries if entry.day is None],
            total=len(entries),
            today=today,
            before=address.having("month", _moved(year, number, -1)),
            after=address.having("month", _moved(year, number, 1)),
            choices=_choices(index),
            timeline=address.at(TIMELINE).without("month").having("from", month).url,
        )


Found = list[tuple[int, Availability]]


def _found(index: UpdatesIndex, address: PageAddress, first: str, last: str = "") -> tuple[PageAddress, str, Found]:
    """Find updates with a retirement date between these months.

    Return the URL, the error of an invalid filter (if any), and the updates. If a filter is invalid, all filters are
    ignored.
    """
    asked = {name: address[name] for name in _FILTERS if address[name]}
    try:
        documents = index.documents(_retiring(request_of(asked), first, last))
        problem = ""
    except Refusal as refusal:
        address, problem = address.without(*_FILTERS), str(refusal)
        documents = index.documents(_retiring(request_of({}), first, last))
    found = [
        (document, when)
        for document in documents[:_MOST_READ]
        for when in index.update(document).availabilities
        if when.ring == RETIREMENT and when.date and when.date >= first[: len(when.date)]
    ]
    return address, problem, sorted(found, key=lambda one: _order(one[1]))


def _retiring(asked: UpdateSearch, first: str, last: str) -> UpdateSearch:
    dated = replace(asked.filters, availability_ring=RETIREMENT, date_from=first, date_to=last or None)
    return replace(asked, filters=dated, sort_by="availability:asc")


def _order(when: Availability) -> tuple[str, bool]:
    """Return the sort key of a date. A year without a month sorts after the months of that year."""
    text = when.date or ""
    return text[:4] if when.month else f"{text}-99", not when.month


def _retirement(index: UpdatesIndex, document: int, when: Availability, today: date) -> RetirementEntry:
    found = index.update(document)
    return RetirementEntry(
        ListedUpdate.of(found, today), when, day_of(when, found.title, partial(index.body, document))
    )


def _groups(index: UpdatesIndex, found: Found, today: date) -> tuple[Sequence[RetirementMonth], str]:
    """Return the months that fit on a page, and the first month of the next page."""
    groups: list[RetirementMonth] = []
    listed = 0
    for text, group in groupby(found, key=lambda one: one[1].date or ""):
        members = list(group)
        if listed and listed + len(members) > _MOST_LISTED:
            return groups, text if len(text) > 4 else f"{text}-12"
        entries = [_retirement(index, document, when, today) for document, when in members[:_OF_THE_TABLE]]
        when = members[0][1]
        groups.append(RetirementMonth(text, _name(when), sorted(entries, key=_by_day), len(members)))
        listed += len(members)
    return groups, ""


def _by_day(entry: RetirementEntry) -> tuple[date, str]:
    return entry.day or date.max, entry.row.found.title


def _name(when: Availability) -> str:
    return f"{MONTHS[when.month - 1]} {when.year}" if when.month else f"{when.year}, month not announced"


def _years(counts: Mapping[str, int], address: PageAddress, today: date) -> Iterator[TimelineYear]:
    most = max(counts.values(), default=1)
    last = max((int(text[:4]) for text in counts), default=today.year)
    for year in range(today.year, min(last, today.year + _YEARS_DRAWN) + 1):
        months = [f"{year}-{month:02}" for month in range(1, _IN_A_YEAR + 1)]
        bars = [
            TimelineBar(
                words_of(year, number),
                MONTHS[number - 1][0],
                counts.get(text, 0),
                round(100 * counts.get(text, 0) / most),
                f"{address.having('from', text).url}#list",
                text < f"{today:%Y-%m}",
            )
            for number, text in enumerate(months, 1)
        ]
        yield TimelineYear(year, sum(counts.get(text, 0) for text in (str(year), *months)), bars)


def _weeks(
    year: int, month: int, entries: Iterable[RetirementEntry]
) -> Sequence[Sequence[tuple[int, list[RetirementEntry]]]]:
    by_day: dict[int, list[RetirementEntry]] = {}
    for entry in entries:
        if entry.day:
            by_day.setdefault(entry.day.day, []).append(entry)
    return [[(day, by_day.get(day, [])) for day in week] for week in Calendar().monthdayscalendar(year, month)]


def _moved(year: int, month: int, months: int) -> str:
    count = year * _IN_A_YEAR + month - 1 + months
    return f"{count // _IN_A_YEAR}-{count % _IN_A_YEAR + 1:02}"


def _choices(index: UpdatesIndex) -> Mapping[str, Sequence[str]]:
    """Return the values that the filters at the top of the page offer."""
    counts = index.vocabulary.counts
    return {kind: sorted(counts[kind], key=str.casefold) for kind in ("productCategories", "products")}
