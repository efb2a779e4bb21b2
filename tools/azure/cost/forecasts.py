"""Forecasts costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.cost.questions import forecast
from clients.azure.cost.reading import SECONDS_KEPT, Costs, forecast_rows
from clients.azure.ids import ResourceId
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cost.cost_scope import (
    MOST_DAYS,
    Amortized,
    asked_of,
    currency_of,
    day,
    headed,
    in_cents,
    money,
    of_each,
    said,
    sums_in_words,
    today,
    together,
)
from tools.azure.shared.answers import Json
from tools.azure.shared.parameters import AnyResourceGroup
from tools.azure.shared.scopes import SomeSubscriptions

part = Part()

_EXPECTED: Final = "forecast"
_NONE: Final = (
    "Azure has no forecast for these costs. A forecast needs a month of costs, and is available only for"
    " some subscription types. Use show_costs with per=day for daily costs so far."
)
_NOTE: Final = "Azure calculates the forecast from past costs."

Until = Annotated[str | None, Field(max_length=40, description="ISO date; default: this month's end")]


@part.tool(Access.READ, harmless=("until", "subscription", "resource_group", "amortized"))
async def forecast_costs(
    azure: Arm,
    until: Until = None,
    resource_group: AnyResourceGroup = None,
    subscription: SomeSubscriptions = None,
    amortized: Amortized = False,
) -> Json:
    """Forecast what Azure will cost by the end of this month or another day."""
    first = today().replace(day=1)
    last = _last(first, until)
    asked = await asked_of(azure, subscription, resource_group, None, ())
    found, reading = await of_each(asked, lambda scope: _forecast(azure, scope, first, last, amortized))
    whole = together(found)
    if not any(row.state.lower() == _EXPECTED for row in whole.rows):
        raise Refusal(_NONE)
    currency = currency_of(whole.totals)
    spent, expected = (_sums(whole, is_expected=one) for one in (False, True))
    return {
        **headed(asked, whole, is_amortized=amortized, currency=currency, period=f"{first} to {last}"),
        "spent": sums_in_words(spent, currency),
        "to_come": sums_in_words(expected, currency),
        "total": sums_in_words(_added([*spent.items(), *expected.items()]), currency),
        **said(reading),
        **_by_month(whole),
        "note": _NOTE,
    }


def _last(first: date, until: str | None) -> date:
    if not until:
        return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    last = day("until", until)
    if not today() <= last < first + timedelta(days=MOST_DAYS):
        raise Refusal(f"`until` must be today or later, within {MOST_DAYS} days. Use show_costs for past costs.")
    return last


async def _forecast(azure: Azure, scope: ResourceId, first: date, last: date, amortized: bool) -> Costs:
    request = forecast(scope, first, last, is_amortized=amortized)

    async def read() -> Costs:
        now = datetime.now(UTC)
        # Azure returns an unnamed row for each day and state (actual or forecast), so each row is named after its day
        # and state.
        rows = [replace(row, name=f"{row.state} {row.day}") for row in await forecast_rows(azure, request)]
        return Costs(rows, read=now)

    return await azure.lately(("forecast", scope, first, last, amortized), read, at_most=SECONDS_KEPT)


def _sums(whole: Costs, *, is_expected: bool) -> dict[str, Decimal]:
    """Return the actual or the expected costs by currency, rounded to cents so that the shown amounts add up to the
    total.
    """
    rows = (row for row in whole.rows if (row.state.lower() == _EXPECTED) is is_expected)
    sums = _added((row.currency, row.amount) for row in rows)
    return {currency: in_cents(amount) for currency, amount in sums.items()}


def _by_month(whole: Costs) -> Json:
    months: Sequence[str] = sorted({row.day[:7] for row in whole.rows})
    if len(months) <= 1 or currency_of(whole.totals) is None:
        return {}
    sums = _added((row.day[:7], row.amount) for row in whole.rows)
    return {"months": {month: money(sums[month]) for month in months}}


def _added(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    found: defaultdict[str, Decimal] = defaultdict(Decimal)
    for name, amount in amounts:
        found[name] += amount
    return dict(found)
