"""Reads costs. Only the rows with the highest costs are read, but totals include all rows.

Cost Management returns pages, and each page counts toward a small rate limit. Cost Management returns the highest costs
first, so the first pages are sufficient. A query without groups returns the total, from which the sum of the unread
rows is computed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Final

from clients.azure.client import Azure
from clients.azure.cost.questions import CostQuestion
from clients.azure.cost.rows import CostRow, next_link, rows_in
from clients.azure.messages import AzureRequest
from clients.azure.paging import at_address
from refusal import Refusal

# Rows are cached for this many seconds, because Azure updates costs about every four hours.
SECONDS_KEPT: Final = 4 * 3600.0
MOST_ROWS: Final = 500
_MOST_PAGES: Final = 5
_MOST_SERIES: Final = 10_000

_LATEST: Final = datetime.max.replace(tzinfo=UTC)

Sums = Mapping[str, Decimal]


class TooManyRowsError(Refusal):
    """The query returns more rows than this server can read. Repeating the query does not help."""

    def __init__(self) -> None:
        super().__init__(
            "The query has too many rows. Pass a later `since`, or filter by `service` or `resource_group`."
        )


@dataclass(frozen=True, slots=True)
class Costs:
    """The rows with the highest costs and, for each currency, the sum of all other rows.

    `others` is the number of other rows; None if unknown. If Azure did not sort the rows, `is_ordered` is false, and
    other rows may have higher costs.
    """

    rows: Sequence[CostRow]
    rest: Sums = field(default_factory=dict)
    others: int | None = 0
    read: datetime = _LATEST
    is_ordered: bool = True

    @property
    def totals(self) -> Sums:
        return _added([*((row.currency, row.amount) for row in self.rows), *self.rest.items()])

    def __add__(self, more: Costs) -> Costs:
        rows = list(_summed([*self.rows, *more.rows]))
        rest = _added([*self.rest.items(), *more.rest.items()])
        others = None if self.others is None or more.others is None else self.others + more.others
        return Costs(rows, rest, others, min(self.read, more.read), self.is_ordered and more.is_ordered)

    def dearest(self, number: int) -> Costs:
        """Keep only the `number` rows with the highest costs. Add the costs of all other rows to `rest`."""
        ordered = sorted(self.rows, key=lambda row: abs(row.amount), reverse=True)
        rest = _added([*((row.currency, row.amount) for row in ordered[number:]), *self.rest.items()])
        others = None if self.others is None else self.others + len(ordered[number:])
        return replace(self, rows=ordered[:number], rest=rest, others=others)


async def costs(azure: Azure, question: CostQuestion) -> Costs:
    """Grouped costs. The rows are cached for a few hours."""
    return await azure.lately(("costs", question), lambda: _read(azure, question), at_most=SECONDS_KEPT)


async def series(azure: Azure, question: CostQuestion) -> Costs:
    """All rows of a query that groups costs by day or month.

    Raises:
        Refusal: The query returns too many rows.
    """
    return await azure.lately(("costs", question), lambda: _read_all(azure, question), at_most=SECONDS_KEPT)


async def forecast_rows(azure: Azure, request: AzureRequest) -> list[CostRow]:
    """All rows of a forecast."""
    rows, _ = await _rows(azure, request, most=_MOST_SERIES)
    return rows


async def _read(azure: Azure, question: CostQuestion) -> Costs:
    now = datetime.now(UTC)
    rows, has_more = await _rows(azure, question.request, most=MOST_ROWS)
    whole = Costs(list(_summed(rows)), read=now).dearest(MOST_ROWS)
    if not has_more:
        return whole
    total, _ = await _rows(azure, question.undivided().request, most=MOST_ROWS)
    all_sums, known = _added((row.currency, row.amount) for row in total), _added(_amounts(whole.rows))
    rest = {currency: amount - known.get(currency, Decimal(0)) for currency, amount in all_sums.items()}
    return replace(whole, rest=rest, others=None, is_ordered=_is_falling(rows))


async def _read_all(azure: Azure, question: CostQuestion) -> Costs:
    now = datetime.now(UTC)
    rows, has_more = await _rows(azure, question.request, most=_MOST_SERIES)
    if has_more:
        raise TooManyRowsError
    return Costs(rows, read=now)


async def _rows(azure: Azure, request: AzureRequest, most: int) -> tuple[list[CostRow], bool]:
    """Read pages of rows. Also return whether there are more rows.

    A few pages are sufficient if the rows are sorted by cost.
    """
    rows: list[CostRow] = []
    following, seen = request, set[str]()
    for _ in range(_MOST_PAGES):
        document = (await azure.send(following)).document
        rows += rows_in(document)
        link = next_link(document)
        if not link:
            return rows, False
        if link in seen:
            raise Refusal("Azure keeps returning the same page of costs. Request less data.")
        if len(rows) >= most and _is_falling(rows):
            break
        seen.add(link)
        following = at_address(azure.cloud.manager, link, request)
    return rows, True


def _is_falling(rows: Sequence[CostRow]) -> bool:
    return all(one.amount >= other.amount for one, other in pairwise(rows))


def _summed(rows: Iterable[CostRow]) -> Iterable[CostRow]:
    """Azure may spell an ID in several ways, so merge the rows that have the same item, currency and day."""
    found: dict[tuple[str, str, str], CostRow] = {}
    for row in rows:
        key = (*row.key, row.day)
        known = found.get(key)
        found[key] = replace(known, amount=known.amount + row.amount) if known else row
    return found.values()


def _amounts(rows: Iterable[CostRow]) -> Iterable[tuple[str, Decimal]]:
    return ((row.currency, row.amount) for row in rows)


def _added(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    found: defaultdict[str, Decimal] = defaultdict(Decimal)
    for currency, amount in amounts:
        found[currency] += amount
    return dict(found)
