"""Compares the costs of two periods: what became more expensive, and since which day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.cost.questions import CostQuestion, Grouping
from clients.azure.cost.reading import Costs, costs, series
from clients.azure.cost.rows import CostRow
from clients.azure.cost.steps import step_in
from clients.azure.ids import ResourceId
from clients.side_by_side import SourceReading
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cost.cost_scope import (
    LAGS,
    MOST_DAYS,
    NOBODYS,
    Amortized,
    By,
    CostScope,
    NotAllReadError,
    Service,
    Tag,
    asked_of,
    between,
    currency_of,
    day,
    grouping,
    headed,
    left_over,
    money,
    narrowing,
    of_all,
    of_each,
    said,
    sums_in_words,
    today,
    together,
)
from tools.azure.shared.answers import Json, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.next_calls import next_call
from tools.azure.shared.parameters import AnyResourceGroup
from tools.azure.shared.scopes import SomeSubscriptions

part = Part()

_WEEK: Final = timedelta(days=6)
_DAY: Final = timedelta(days=1)
_MOST_FOLLOWED: Final = 5
# The number of candidates to compare for each item that is shown. Some candidates are dropped, because their costs in
# both periods turn out to be equal.
_CANDIDATES: Final = 3
# Azure keeps resource changes for this number of days, and keeps the activity log longer.
_CHANGES_KEPT: Final = timedelta(days=14)

Day = Annotated[str | None, Field(max_length=40, description="ISO date")]
Most = Annotated[int, Field(ge=1, le=50, description="Limit")]

Period = tuple[date, date]
Key = tuple[str, str]
Amounts = Mapping[Key, Decimal]


@dataclass(frozen=True, slots=True)
class CostComparison:
    """The costs of an item, for example a service, in both periods."""

    name: str
    currency: str
    before: Decimal
    after: Decimal

    @property
    def difference(self) -> Decimal:
        return self.after - self.before

    @property
    def key(self) -> Key:
        return self.name.casefold(), self.currency


@dataclass(frozen=True, slots=True)
class Times:
    """The two periods to compare: the requested period and an earlier period."""

    azure: Azure
    asked: CostScope
    question: CostQuestion
    early: Period

    @property
    def before(self) -> CostQuestion:
        return replace(self.question, since=self.early[0], until=self.early[1])

    @property
    def by(self) -> Grouping:
        return self.question.by or Grouping("Dimension", "ServiceName")

    async def of_scopes(self, question: CostQuestion) -> tuple[Mapping[str, Costs], SourceReading]:
        return await of_each(self.asked, lambda scope: costs(self.azure, replace(question, scope=scope)))

    async def completed(self, found: Sequence[CostComparison], earlier: Costs, later: Costs) -> list[CostComparison]:
        """Read the missing costs of items that are among the most expensive in only one of the two periods."""
        before = await self._missing(self.before, found, earlier)
        after = await self._missing(self.question, found, later)
        return [
            replace(one, before=before.get(one.key, one.before), after=after.get(one.key, one.after)) for one in found
        ]

    async def _missing(self, question: CostQuestion, found: Sequence[CostComparison], known: Costs) -> Amounts:
        keys = {row.key for row in known.rows}
        names = sorted({one.name for one in found if one.name and one.key not in keys})
        if not names or known.others == 0:
            return {}
        only = question.narrowed(self.by.only(names))
        try:
            rest = await of_all(self.asked, lambda scope: costs(self.azure, replace(only, scope=scope)))
        except NotAllReadError:
            # Unknown costs must not count as zero.
            raise Refusal("Some costs of the other period could not be read. Try again in a minute.") from None
        return {row.key: row.amount for row in together(rest).rows}

    async def beginnings(self, found: Sequence[CostComparison]) -> tuple[Mapping[Key, Json], str]:
        """For each of the largest increases, return the day on which it began, if daily costs show a jump.

        Also return the reason if daily costs could not be read.
        """
        risen = [one for one in found if one.difference > 0 and one.name][:_MOST_FOLLOWED]
        if not risen or (self.question.until - self.early[0]).days >= MOST_DAYS:
            return {}, ""
        try:
            return await self._followed(risen), ""
        except NotAllReadError as refusal:
            if not refusal.is_limit or len(risen) == 1:
                return {}, str(refusal)
        try:
            return await self._followed(risen[:1]), ""
        except NotAllReadError as refusal:
            return {}, str(refusal)

    async def _followed(self, risen: Sequence[CostComparison]) -> Mapping[Key, Json]:
        first, last = self.early[0], self.question.until
        of_risen = self.question.narrowed(self.by.only([one.name for one in risen]))
        daily = replace(of_risen, since=first, per="day")
        courses = await of_all(self.asked, lambda scope: series(self.azure, replace(daily, scope=scope)))
        rows = [row for one in courses.values() for row in one.rows]
        days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
        return {one.key: step for one in risen if (step := _beginning(one.key, rows, days))}


@part.tool(Access.READ, harmless=("by", "since", "until", "before", "before_until", "subscription", "resource_group"))
async def compare_costs(
    azure: Arm,
    by: Annotated[By, Field(description="Grouping of costs")] = "service",
    since: Annotated[Day, Field(description="Default: the last 7 full days")] = None,
    until: Day = None,
    before: Annotated[Day, Field(description="Start of the earlier period; default: just before `since`")] = None,
    before_until: Day = None,
    tag: Tag = None,
    service: Service = None,
    resource_group: AnyResourceGroup = None,
    subscription: SomeSubscriptions = None,
    amortized: Amortized = False,
    max_results: Most = 15,
) -> Json:
    """Compare costs of two periods: what got more expensive or cheaper, what is new or gone, and since when.

    list_resource_changes shows who changed what.
    """
    late, early = _periods(since, until, before, before_until)
    within = {"subscription": subscription if isinstance(subscription, str) else None}
    asked = await asked_of(azure, subscription, resource_group, None, narrowing(service, tag))
    question = CostQuestion(ResourceId(()), *late, by=grouping(by, tag), only=asked.only, is_amortized=amortized)
    times, earlier, later, reading = await _both(Times(azure, asked, question, early))
    candidates = _most_different(_compared(earlier, later), max_results * _CANDIDATES)
    found = _most_different(await times.completed(candidates, earlier, later), max_results)
    began, unread = await times.beginnings(found)
    currency = currency_of(earlier.totals, later.totals)
    periods = {"before": _in_words(early), "after": _in_words(late)}
    return {
        **headed(asked, earlier + later, is_amortized=amortized, currency=currency, **periods),
        "total": {"before": sums_in_words(earlier.totals, currency), "after": sums_in_words(later.totals, currency)},
        **said(reading),
        "count": len(found),
        **shortened((_item(one, began, currency) for one in found), "name"),
        **_others(earlier, later, found, currency),
        "note": " ".join(filter(None, [LAGS, unread])),
        **present({"next": _changes_of_that_day(by, found, began, {"resource_group": resource_group, **within})}),
    }


def _changes_of_that_day(
    by: By, found: Sequence[CostComparison], began: Mapping[Key, Json], place: Mapping[str, str | None]
) -> Json | None:
    """Return the call that shows the changes on the day when the largest increase began."""
    first = next((one for one in found if one.key in began), None)
    if first is None:
        return None
    since = date.fromisoformat(began[first.key]["day"])
    own: dict[str, str] = {by: first.name} if by in {"resource", "resource_group"} else {}
    arguments = {**place, **own, "since": since.isoformat(), "until": since.isoformat()}
    if today() - since < _CHANGES_KEPT:
        return next_call("resource", "list_resource_changes", **arguments)
    return next_call("monitor", "list_activity_log", **arguments)


async def _both(times: Times) -> tuple[Times, Costs, Costs, SourceReading]:
    """Read both periods.

    Scopes that could be read for only one period are left out, because all their costs would seem new or gone.
    """
    later, reading = await times.of_scopes(times.question)
    earlier, then = await times.of_scopes(times.before)
    both = [name for name in later if name in earlier]
    reading.read &= then.read
    reading.failed |= then.failed
    reading.refuse_if_none("scopes")
    within = replace(times, asked=times.asked.within(both))
    return within, together({one: earlier[one] for one in both}), together({one: later[one] for one in both}), reading


def _periods(
    since: str | None, until: str | None, before: str | None, before_until: str | None
) -> tuple[Period, Period]:
    last = day("until", until) if until else today() - _DAY
    first = day("since", since) if since else last - _WEEK
    between(first.isoformat(), last.isoformat())
    if not before:
        if before_until:
            raise Refusal("`before_until` requires `before`, the first day of the earlier period.")
        return (first, last), (first - (last - first) - _DAY, first - _DAY)
    begin = day("before", before)
    end = day("before_until", before_until) if before_until else min(begin + (last - first), first - _DAY)
    if not begin <= end < first:
        raise Refusal("`before` must not be later than `before_until`. `before_until` must be earlier than `since`.")
    return (first, last), between(begin.isoformat(), end.isoformat())


def _in_words(period: Period) -> str:
    return f"{period[0]} to {period[1]} ({(period[1] - period[0]).days + 1} days)"


def _compared(earlier: Costs, later: Costs) -> list[CostComparison]:
    """Return the costs of each item in both periods."""
    before, after = ({row.key: row for row in one.rows} for one in (earlier, later))
    return [
        CostComparison(row.name, row.currency, _amount(before, key), _amount(after, key))
        for key, row in (before | after).items()
    ]


def _amount(rows: Mapping[Key, CostRow], key: Key) -> Decimal:
    return rows[key].amount if key in rows else Decimal(0)


def _most_different(found: Sequence[CostComparison], most: int) -> list[CostComparison]:
    """Return the items whose costs differ most, with the largest increase first."""
    differing = [one for one in found if money(one.before) != money(one.after)]
    largest = sorted(differing, key=lambda one: abs(one.difference), reverse=True)[:most]
    return sorted(largest, key=lambda one: one.difference, reverse=True)


def _beginning(key: Key, rows: Sequence[CostRow], days: Sequence[date]) -> Json | None:
    course = dict.fromkeys((one.isoformat() for one in days), 0.0)
    for row in rows:
        if row.key == key and row.day in course:
            course[row.day] += float(row.amount)
    step = step_in(list(course.values()))
    if step is None:
        return None
    return {
        "day": days[step.place].isoformat(),
        "per_day_before": round(step.before, 2),
        "per_day_since": round(step.since, 2),
    }


def _item(one: CostComparison, began: Mapping[Key, Json], currency: str | None) -> Json:
    state = "new" if not one.before and one.after else "gone" if one.before and not one.after else None
    percent = round(float(one.difference / one.before * 100)) if one.before > 0 and one.after else None
    return {
        "name": one.name or NOBODYS,
        **({} if currency is not None else {"currency": one.currency}),
        "before": money(one.before),
        "after": money(one.after),
        "difference": money(one.difference),
        **present({"percent": percent, "state": state, "began": began.get(one.key)}),
    }


def _others(earlier: Costs, later: Costs, found: Sequence[CostComparison], currency: str | None) -> Json:
    """Return the total costs of all items that are not shown, including unchanged items."""
    before = left_over(earlier.totals, ((one.currency, one.before) for one in found))
    after = left_over(later.totals, ((one.currency, one.after) for one in found))
    return (
        {"others": {"before": sums_in_words(before, currency), "after": sums_in_words(after, currency)}}
        if before or after
        else {}
    )
