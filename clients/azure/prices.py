"""Prices of resources from Microsoft's public price list: https://prices.azure.com/api/retail/prices

The list has no accounts or discounts and needs no key. Nothing is cached: each preview requests what it shows, for a
few seconds at most. A price that is ambiguous in the list is unknown.
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
# Values go into a filter, where quotes would end a string.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,60}")
_UNITS: Final = frozenset({"1 hour", "1/hour"})

FetchPrices = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class PricedItem:
    """A product billed by the hour: `filters` find it in the list, and `fits` checks its records."""

    service: str
    region: str
    size: str
    fits: Callable[[Mapping[str, Any]], bool] = field(compare=False)
    filters: Mapping[str, str] = field(default_factory=dict)
    # The quantity.
    count: float = 1

    @property
    def address(self) -> str:
        """The URL of its price; empty if the list cannot contain it."""
        if not all(_PLAIN.fullmatch(text) for text in (self.region, *self.filters.values())):
            return ""
        wanted = {"serviceName": self.service, "armRegionName": self.region, "priceType": "Consumption", **self.filters}
        text = " and ".join(f"{name} eq '{value}'" for name, value in wanted.items())
        return f"{ADDRESS}?{urlencode({'currencyCode': CURRENCY, '$filter': text})}"


@dataclass(frozen=True, slots=True)
class PriceList:
    """`fetch` is None if prices are off."""

    fetch: FetchPrices | None = None

    async def records(self, address: str) -> list[Mapping[str, Any]]:
        """The records at a URL; empty if there is no response."""
        if self.fetch is None or not address:
            return []
        try:
            document = decoded((await self.fetch(address)).decode(errors="replace"))
        except (Refusal, ValueError):
            return []
        found = document.get("Items") if isinstance(document, Mapping) else None
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def monthly_price(item: PricedItem, records: Iterable[Mapping[str, Any]]) -> float | None:
    """The monthly price, if these records have exactly one."""
    prices = {price for one in records if item.fits(one) and (price := _hourly(one)) is not None}
    return prices.pop() * item.count * HOURS_A_MONTH if len(prices) == 1 else None


def _hourly(record: Mapping[str, Any]) -> float | None:
    """The hourly price from the first hour on; volume discounts have several."""
    price, unit = record.get("retailPrice"), str(record.get("unitOfMeasure")).lower()
    is_plain = unit in _UNITS and record.get("currencyCode") == CURRENCY and not record.get("tierMinimumUnits")
    return float(price) if is_plain and isinstance(price, int | float) and price >= 0 else None
