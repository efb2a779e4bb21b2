"""Reads prices from Microsoft's public price list: https://prices.azure.com/api/retail/prices

The list requires no key, and does not include an account's discounts. Prices are not cached: each preview reads the
prices that it shows, and waits at most a few seconds for them. If the list has several prices for an item, the price is
unknown.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from clients.decoding import decoded
from refusal import Refusal

HOST: Final = "prices.azure.com"
ADDRESS: Final = f"https://{HOST}/api/retail/prices"
LARGEST: Final = 2 * 1024 * 1024
SECONDS: Final = 4.0
CURRENCY: Final = "USD"
HOURS_A_MONTH: Final = 730
# Values are put in quotes in a filter, so they must not contain quotes.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,60}")
_UNITS: Final = frozenset({"1 hour", "1/hour"})

FetchPrices = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class PricedItem:
    """A product that is billed by the hour.

    `filters` select the product's records in the price list, and `fits` decides which of these records count.
    """

    service: str
    region: str
    size: str
    fits: Callable[[Mapping[str, Any]], bool] = field(compare=False)
    filters: Mapping[str, str] = field(default_factory=dict)
    # The number of units to price.
    count: float = 1

    @property
    def address(self) -> str:
        """The URL that returns the price, or an empty text if one of the values cannot be used in a filter."""
        if not all(_PLAIN.fullmatch(text) for text in (self.region, *self.filters.values())):
            return ""
        wanted = {"serviceName": self.service, "armRegionName": self.region, "priceType": "Consumption", **self.filters}
        text = " and ".join(f"{name} eq '{value}'" for name, value in wanted.items())
        return f"{ADDRESS}?{urlencode({'currencyCode': CURRENCY, '$filter': text})}"


@dataclass(frozen=True, slots=True)
class PriceList:
    """Reads the price list. `fetch` is None if prices are disabled."""

    fetch: FetchPrices | None = None

    async def records(self, address: str) -> list[Mapping[str, Any]]:
        """Read the records at a URL. Empty if the price list does not respond."""
        if self.fetch is None or not address:
            return []
        try:
            document = decoded((await self.fetch(address)).decode(errors="replace"))
        except (Refusal, ValueError):
            return []
        found = document.get("Items") if isinstance(document, Mapping) else None
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def monthly_price(item: PricedItem, records: Iterable[Mapping[str, Any]]) -> float | None:
    """The monthly price; None unless the records contain exactly one price."""
    prices = {price for one in records if item.fits(one) and (price := _hourly(one)) is not None}
    return prices.pop() * item.count * HOURS_A_MONTH if len(prices) == 1 else None


def _hourly(record: Mapping[str, Any]) -> float | None:
    """The hourly price in a record. None if the price has another unit, or applies only above a minimum quantity."""
    price, unit = record.get("retailPrice"), str(record.get("unitOfMeasure")).lower()
    is_plain = unit in _UNITS and record.get("currencyCode") == CURRENCY and not record.get("tierMinimumUnits")
    return float(price) if is_plain and isinstance(price, int | float) and price >= 0 else None
