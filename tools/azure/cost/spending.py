"""Shows costs by service, resource, tag or day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.cost.questions import CostQuestion, Per
from clients.azure.cost.reading import Costs, costs, series
from clients.azure.cost.rows import CostRow
from clients.azure.ids import ResourceId
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.cost.cost_scope import (
    LAGS,
    NOBODYS,
    Amortized,
    AnyResourceId,
    ByAny,
    CostScope,
    NotAllReadError,
    Service,
    Tag,
    asked_of,
    between,
    currency_of,
    grouping,
    headed,
    left_over,
    money,
    narrowing,
    of_all,
    of_each,
    said,
    sums_in_words,
    together,
)
from tools.azure.cost.tags import why_nothing_is_tagged
from tools.azure.shared.answers import Json, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, Until
from tools.azure.shared.scopes import SomeSubscriptions

part = Part()

_MOST_DAYS_ONE_BY_ONE: Final = 92
_MOST_SERIES: Final = 10
_OUT_OF_ORDER: Final = (
    "Azure returned too many rows to read all of them, and the rows are not sorted. Rows that were not read may have"
    " higher costs."
)

Since = Annotated[str | None, Field(max_length=40, description="7d or ISO date; default: this month")]
Most = Annotated[int, Field(ge=1, le=200, description="Limit")]


@part.tool(Access.READ, harmless=("by", "per", "since", "until", "subscription", "resource_group", "amortized"))
async def show_costs(
    azure: Arm,
    by: Annotated[ByAny, Field(description="Grouping of costs")] = "service",
    per: Annotated[Per, Field(description="day or month: adds a series")] = "total",
    since: Since = None,
    until: Until = None,
    tag: Tag = None,
    service: Service = None,
    resource_group: AnyResourceGroup = None,
    resource_id: AnyResourceId = None,
    subscription: SomeSubscriptions = None,
    amortized: Amortized = False,
    max_results: Most = 20,
) -> Json:
    """Show Azure costs by service, group, resource, tag or day: most expensive first, with the sum.

    compare_costs shows increases.
    """
    first, last = between(since, until, **({"most": _MOST_DAYS_ONE_BY_ONE} if per == "day" else {}))
    asked = await asked_of(azure, subscription, resource_group, resource_id, narrowing(service, tag))
    question = CostQuestion(_ANYWHERE, first, last, only=asked.only, is_amortized=amortized)
    grouped = question if by == "subscription" else replace(question, by=grouping(by, tag))
    found, reading = await of_each(asked, lambda scope: costs(azure, replace(grouped, scope=scope)))
    if by == "subscription":
        found = {name: _named(name, one) for name, one in found.items()}
    shown = together(found).dearest(max_results if per == "total" else min(max_results, _MOST_SERIES))
    within = asked.within(found)
    untagged = await why_nothing_is_tagged(azure, within, tag, found.values()) if by == "tag" else ""
    courses, unread = await _courses(azure, within, replace(question, per=per), by, tag, shown)
    currency = currency_of(shown.totals)
    return {
        **headed(asked, shown, is_amortized=amortized, currency=currency, period=f"{first} to {last}"),
        "total": sums_in_words(shown.totals, currency),
        **said(reading),
        **_items(shown, courses),
        "note": " ".join(filter(None, [LAGS, "" if shown.is_ordered else _OUT_OF_ORDER, unread or untagged])),
    }


_ANYWHERE: Final = ResourceId(())


def _named(name: str, found: Costs) -> Costs:
    return replace(found, rows=[replace(row, name=name) for row in found.rows])


def _items(shown: Costs, courses: Mapping[str, Any]) -> Json:
    """Return the shown rows, and the sum of all other rows."""
    one = currency_of(shown.totals)
    items = [
        {
            "name": row.name or NOBODYS,
            "cost": money(row.amount),
            **({} if one is not None else {"currency": row.currency}),
            **present({"course": courses.get("of", {}).get(row.key)}),
        }
        for row in shown.rows
    ]
    rest = left_over(shown.totals, ((row.currency, row.amount) for row in shown.rows))
    others = present({"count": shown.others, "cost": sums_in_words(rest, one), "course": courses.get("others")})
    return {
        **present({"days": courses.get("days"), "months": courses.get("months")}),
        "count": len(items),
        **shortened(items, "name"),
        **({"others": others} if shown.others != 0 else {"rounding": others["cost"]} if rest else {}),
    }


# Costs over time


async def _courses(
    azure: Azure, asked: CostScope, question: CostQuestion, by: str, tag: str | None, shown: Costs
) -> tuple[Json, str]:
    """Return the costs of the shown rows over time, or the reason why they could not be read.

    Return nothing if the query asks only for totals.
    """
    if question.per == "total":
        return {}, ""
    try:
        return await _course_of_each(azure, asked, question, by, tag, shown), ""
    except NotAllReadError as refusal:
        return {}, str(refusal)


async def _course_of_each(
    azure: Azure, asked: CostScope, question: CostQuestion, by: str, tag: str | None, shown: Costs
) -> Json:
    """For each shown row, return the amounts by day or month."""
    places = _places(question.since, question.until, question.per)
    whole = await _series(azure, asked, question, is_named=True)
    rows: Sequence[CostRow] = whole
    if by != "subscription":
        names = [row.name for row in shown.rows if row.name]
        group = grouping(by, tag)
        rows = await _series(azure, asked, replace(question.narrowed(group.only(names)), by=group)) if names else []
    of = {row.key: _course((day for day in rows if day.key == row.key), places) for row in shown.rows if row.name}
    left = [round(total - sum(part), 2) for total, *part in zip(_course(whole, places), *of.values(), strict=True)]
    return {
        f"{question.per}s": f"one amount per {question.per}, {places[0]} to {places[-1]}",
        "of": of,
        "others": left if any(left) and currency_of(shown.totals) is not None else None,
    }


async def _series(
    azure: Azure, asked: CostScope, question: CostQuestion, *, is_named: bool = False
) -> Sequence[CostRow]:
    """Return the costs in all scopes by day or month. If `is_named` is true, each row is named after its scope."""
    found = await of_all(asked, lambda scope: series(azure, replace(question, scope=scope)))
    named = (_named(name, one) if is_named else one for name, one in found.items())
    return [row for one in named for row in one.rows]


def _places(first: date, last: date, per: Per) -> list[str]:
    days = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
    return days if per == "day" else list(dict.fromkeys(one[:7] for one in days))


def _course(rows: Iterable[CostRow], places: Sequence[str]) -> list[float]:
    found = dict.fromkeys(places, Decimal(0))
    for row in rows:
        place = row.day[: len(places[0])]
        if place in found:
            found[place] += row.amount
    return [money(amount) for amount in found.values()]
