"""Parses the rows of Cost Management. The order and names of columns depend on the query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from refusal import Refusal

_AMOUNTS: Final = ("cost", "totalcost", "pretaxcost", "costusd", "pretaxcostusd")
_DAYS: Final = ("usagedate", "billingmonth")
_CURRENCIES: Final = ("currency", "billingcurrency", "billingcurrencycode")
_STATE: Final = "coststatus"
_TAG: Final = "tagkey"
_LONGEST_NAME: Final = 2048
_DIGITS_OF_A_DAY: Final = 8


@dataclass(frozen=True, slots=True)
class CostRow:
    """The cost of an item in the queried period, or on one day if the query groups by day.

    `state` distinguishes actual costs from a forecast.
    """

    amount: Decimal
    currency: str
    name: str = ""
    day: str = ""
    state: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The key by which costs are summed: the name of the item in lowercase, and the currency."""
        return self.name.casefold(), self.currency


def rows_in(document: Any) -> list[CostRow]:
    """Parse the rows of a response. Empty if there were no costs.

    Raises:
        Refusal: The response does not come from Cost Management.
    """
    inner = document.get("properties") if isinstance(document, Mapping) else None
    if not isinstance(inner, Mapping):
        return []
    columns = [_folded(column) for column in inner.get("columns") or ()]
    return [_row(dict(zip(columns, row, strict=False))) for row in inner.get("rows") or () if isinstance(row, list)]


def next_link(document: Any) -> str:
    inner = document.get("properties") if isinstance(document, Mapping) else None
    link = inner.get("nextLink") if isinstance(inner, Mapping) else None
    return link if isinstance(link, str) else ""


def _folded(column: Any) -> str:
    return str(column.get("name")).lower() if isinstance(column, Mapping) else ""


def _row(values: Mapping[str, Any]) -> CostRow:
    return CostRow(
        _amount(values),
        str(_first(values, _CURRENCIES) or ""),
        next(_names(values), ""),
        _day(_first(values, _DAYS)),
        str(values.get(_STATE) or ""),
    )


def _names(values: Mapping[str, Any]) -> Iterator[str]:
    """The item of a row.

    The item is in the column that is not the amount, day, currency, cost type or tag name.
    """
    known = {*_AMOUNTS, *_DAYS, *_CURRENCIES, _STATE, _TAG}
    return (str(value or "")[:_LONGEST_NAME] for name, value in values.items() if name not in known)


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((values[name] for name in names if name in values), None)


def _amount(values: Mapping[str, Any]) -> Decimal:
    found = _first(values, _AMOUNTS)
    if isinstance(found, bool) or not isinstance(found, int | float) or not Decimal(str(found)).is_finite():
        raise Refusal("Azure returned costs that are not numbers. A proxy could be the cause.")
    return Decimal(str(found))


def _day(value: Any) -> str:
    """Parse a day. Cost Management writes a day as 20261101 (a number or a text), and a month as its start time."""
    text = str(value if value is not None else "").partition("T")[0]
    is_number = len(text) == _DIGITS_OF_A_DAY and text.isdecimal()
    return f"{text[:4]}-{text[4:6]}-{text[6:]}" if is_number else text[:10]
