"""The public price list: it answers by its filters, and has tiers, reservations, Windows and spot machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from refusal import Refusal

Json = dict[str, Any]

_TERM: Final = re.compile(r"(\w+) eq '([^']*)'")
# The names that filters have for what records call otherwise.
_FILTERED: Final = {"priceType": "type"}
_KNOWN: Final = frozenset(
    {"armRegionName", "armSkuName", "meterName", "priceType", "productName", "serviceName", "skuName"}
)
_PLAN: Final = "Azure App Service {} Plan{}"


def _record(service: str, product: str, sku: str, price: float, **more: Any) -> Json:
    return {
        "currencyCode": "USD",
        "tierMinimumUnits": 0.0,
        "retailPrice": price,
        "unitPrice": price,
        "armRegionName": "westeurope",
        "location": "EU West",
        "effectiveStartDate": "2024-01-01T00:00:00Z",
        "meterName": sku,
        "productName": product,
        "skuName": sku,
        "serviceName": service,
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "isPrimaryMeterRegion": True,
        "armSkuName": "",
        **more,
    }


def _plans() -> Iterator[Json]:
    for tier, sku, windows, linux in (
        ("Basic", "B1", 0.075, 0.018),
        ("Standard", "S1", 0.1, 0.095),
        ("Premium v3", "P1 v3", 0.27, 0.155),
        ("Premium v3", "P2 v3", 0.54, 0.31),
    ):
        for price, system in ((windows, ""), (linux, " - Linux")):
            record = _record("Azure App Service", _PLAN.format(tier, system), sku, price, meterName=f"{sku} App")
            yield record
            yield {**record, "type": "Reservation", "retailPrice": price * 5000, "unitOfMeasure": "1 Hour"}


def _machines() -> Iterator[Json]:
    size = {"armSkuName": "Standard_D2s_v5"}
    for product, price in (("Virtual Machines Dsv5 Series", 0.115), ("Virtual Machines Dsv5 Series Windows", 0.207)):
        yield _record("Virtual Machines", product, "D2s v5", price, **size)
        yield _record("Virtual Machines", product, "D2s v5 Spot", price / 5, **size)
        yield _record("Virtual Machines", product, "D2s v5 Low Priority", price / 4, **size)


def _throughput() -> Iterator[Json]:
    service, unit = "Azure Cosmos DB", {"meterName": "100 RU/s"}
    yield _record(service, "Azure Cosmos DB", "RUs", 0.008, **unit)
    yield _record(service, "Azure Cosmos DB autoscale", "RUs", 0.012, **unit)
    yield _record(service, "Azure Cosmos DB", "RUs", 0.0, tierMinimumUnits=1.0, **unit)


@dataclass
class FakePriceList:
    """`fetch` answers an address as the list does; `is_down` is whether nothing answers."""

    records: list[Json] = field(default_factory=lambda: [*_plans(), *_machines(), *_throughput()])
    is_down: bool = False
    asked: list[str] = field(default_factory=list)

    async def fetch(self, address: str) -> bytes:
        self.asked.append(address)
        parts = urlsplit(address)
        assert (parts.scheme, parts.netloc, parts.path) == ("https", "prices.azure.com", "/api/retail/prices")
        if self.is_down:
            raise Refusal("prices.azure.com did not answer.")
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        found = [one for one in self.records if self._is_meant(one, query["$filter"])]
        document = {
            "BillingCurrency": query.get("currencyCode", "USD"),
            "CustomerEntityId": "Default",
            "CustomerEntityType": "Retail",
            "Items": found,
            "NextPageLink": None,
            "Count": len(found),
        }
        return json.dumps(document).encode()

    @staticmethod
    def _is_meant(record: Json, text: str) -> bool:
        terms = text.split(" and ")
        found = [_TERM.fullmatch(term) for term in terms]
        if not all(found) or any(one and one[1] not in _KNOWN for one in found):
            raise Refusal("prices.azure.com answered 400: Invalid OData parameters supplied.")
        return all(one and record[_FILTERED.get(one[1], one[1])] == one[2] for one in found)
