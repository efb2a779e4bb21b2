"""The content of a retirement report: upcoming retirements, recent changes, and affected resources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from updates.record import Availability
from updates.searching.search import FoundUpdate, SearchFilters, UpdateSearch
from updates.searching.statistics import RETIREMENT
from updates.showing.days import day_of

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

MONTHS_AHEAD = 12
_MOST_READ = 10_000
_RECENT = timedelta(days=30)
_IN_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class ReportedRetirement:
    """An update that announces a retirement, with the month of the retirement and, if known, the day."""

    update: FoundUpdate
    month: str
    day: date | None


@dataclass(frozen=True, slots=True)
class RecentChange:
    """A recent change to a retirement: its date moved, or the announcement was withdrawn."""

    update: FoundUpdate
    seen: str
    what: str


@dataclass(frozen=True, slots=True)
class ReportedWork:
    """A work item for a retirement, with its state."""

    number: str
    state: str
    url: str

    @property
    def text(self) -> str:
        return f"#{self.number} {self.state}".rstrip()


@dataclass(frozen=True, slots=True)
class AffectedResources:
    """The reader's resources that a retirement affects, and the planned work.

    `more_resources` and `more_work` count the unlisted resources and the unlisted work items.
    """

    name: str
    due: str
    advice: str
    resources: Sequence[str]
    owners: Sequence[str] = ()
    work_items: Sequence[ReportedWork] = ()
    more_resources: int = 0
    more_work: int = 0

    @property
    def count(self) -> int:
        return len(self.resources) + self.more_resources


@dataclass(frozen=True, slots=True)
class RetirementReport:
    """A retirement report. If the affected resources are unknown, `affected` is None and `why_unknown` contains the
    reason.

    `unread` and `work_unread` describe the resources and work items that could not be read.
    """

    today: date
    months: Sequence[str]
    counts: Mapping[str, int]
    retirements: Sequence[ReportedRetirement]
    announced: Sequence[FoundUpdate]
    changes: Sequence[RecentChange]
    is_sample: bool
    affected: Sequence[AffectedResources] | None = None
    why_unknown: str = ""
    unread: Sequence[str] = ()
    work_unread: Sequence[str] = ()

    @property
    def last(self) -> str:
        return self.months[-1]

    @property
    def work(self) -> Mapping[str, ReportedWork]:
        """The planned work items, keyed by their numbers. A work item that covers several retirements
        is included once.
        """
        return {work.number: work for one in self.affected or () for work in one.work_items}

    def within(self, months: int) -> int:
        """Count the retirements in this many months, including the current month."""
        return sum(self.counts.get(month, 0) for month in self.months[:months])


def report_of(
    index: UpdatesIndex, search: UpdateSearch, today: date, months_ahead: int = MONTHS_AHEAD
) -> RetirementReport:
    """Create the report for a search. The dates and rings in the search are ignored.

    Raises:
        Refusal: A filter of the search is invalid.
    """
    months = [_month(today, ahead) for ahead in range(months_ahead + 1)]
    retirements = list(_retirements(index, search, months))
    since = str(today - _RECENT)
    return RetirementReport(
        today,
        months,
        Counter(one.month for one in retirements),
        retirements,
        list(_announced(index, search, since)),
        list(_changes(index, search, since)),
        index.is_sample,
    )


def _retirements(index: UpdatesIndex, search: UpdateSearch, months: Sequence[str]) -> Iterator[ReportedRetirement]:
    dated = _filtered(search, date_from=months[0], date_to=months[-1], date_field=None)
    documents = index.documents(replace(dated, sort_by="availability:asc", limit=_MOST_READ))
    found = [
        ReportedRetirement(update, when.date or "", day_of(when, update.title, partial(index.body, document)))
        for document, update in ((document, index.update(document)) for document in documents)
        for when in update.availabilities
        if _is_within(when, months)
    ]
    yield from sorted(found, key=lambda one: (one.month, one.day or date.max, one.update.title))


def _announced(index: UpdatesIndex, search: UpdateSearch, since: str) -> Iterator[FoundUpdate]:
    new = _filtered(search, date_from=since, date_field="created", date_to=None)
    yield from map(index.update, index.documents(replace(new, sort_by="created:desc", limit=_MOST_READ)))


def _changes(index: UpdatesIndex, search: UpdateSearch, since: str) -> Iterator[RecentChange]:
    changed = _filtered(search, changed_since=since, date_from=None, date_to=None, date_field=None)
    for document in index.documents(replace(changed, sort_by=None, limit=_MOST_READ)):
        update = index.update(document)
        for change in update.history:
            if change["seen"] >= since and (what := _in_words(change)):
                yield RecentChange(update, change["seen"][:10], what)


def _in_words(change: Mapping[str, object]) -> str:
    if change["change"] == "withdrawn":
        return "Microsoft withdrew the announcement."
    edits = change.get("edits")
    for edit in edits if isinstance(edits, list) else []:
        if edit["field"] == "availabilities":
            return f"{', '.join(edit['before']) or 'No date'} became {', '.join(edit['after']) or 'no date'}."
    return ""


def _filtered(search: UpdateSearch, **changes: str | None) -> UpdateSearch:
    filters: SearchFilters = replace(search.filters, availability_ring=RETIREMENT, **changes)  # type: ignore[arg-type]  # all texts
    return replace(search, filters=filters)


def _is_within(when: Availability, months: Sequence[str]) -> bool:
    return when.ring == RETIREMENT and bool(when.month) and months[0] <= (when.date or "") <= months[-1]


def _month(today: date, ahead: int) -> str:
    count = today.year * _IN_A_YEAR + today.month - 1 + ahead
    return f"{count // _IN_A_YEAR:04}-{count % _IN_A_YEAR + 1:02}"
