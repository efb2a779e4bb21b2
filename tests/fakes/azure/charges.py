"""What the invented bakery pays: each day, for each resource, as it was or is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Final

from tests.fakes.azure.estate import Estate, Resource, subscription_of
from tests.fakes.azure.routes import Json
from tests.fakes.azure.world import OVEN, PRODUCTION, SHARED, SHOP

_DAYS: Final = 130
# By its type: the service on the bill, what is metered, and what one costs a day.
_PRICES: Final[dict[str, tuple[tuple[str, str, float], ...]]] = {
    "Microsoft.Web/serverFarms": (("Azure App Service", "P1 v3 App", 8.4),),
    "Microsoft.ContainerService/managedClusters": (
        ("Azure Kubernetes Service", "Standard Uptime SLA", 2.4),
        ("Virtual Machines", "D8s v5", 46.1),
    ),
    "Microsoft.Sql/servers/databases": (("SQL Database", "S2 DTUs", 4.9),),
    "Microsoft.Cache/redis": (("Redis Cache", "C1 Cache", 3.3),),
    "Microsoft.Cdn/profiles": (("Azure Front Door Service", "Standard Base Fees", 1.2),),
    "Microsoft.Storage/storageAccounts": (("Storage", "Hot LRS Data Stored", 0.8),),
    "Microsoft.DocumentDB/databaseAccounts": (("Azure Cosmos DB", "100 RU/s", 5.6),),
    "Microsoft.ServiceBus/namespaces": (("Service Bus", "Standard Base Unit", 0.33),),
    "Microsoft.App/containerApps": (("Azure Container Apps", "Standard vCPU Active Usage", 1.5),),
    "Microsoft.OperationalInsights/workspaces": (("Azure Monitor", "Analytics Logs Data Ingestion", 6.1),),
    "Microsoft.ContainerRegistry/registries": (("Container Registry", "Premium Registry Unit", 1.6),),
    "Microsoft.CognitiveServices/accounts": (("Foundry Models", "gpt Input Tokens", 12.0),),
    "Microsoft.Compute/disks": (("Storage", "P10 LRS Disk", 0.6),),
    "Microsoft.DBforPostgreSQL/flexibleServers": (("Azure Database for PostgreSQL", "B1MS vCore", 0.5),),
}
# One subscription is billed in another currency than the others.
_CURRENCIES: Final = {SHARED: "USD"}
OLD_DISK: Final = f"{OVEN}/providers/Microsoft.Compute/disks/oven-old-disk"
_DISK_A_DAY: Final = 9.36


@dataclass(frozen=True, slots=True)
class Charge:
    """One line of a bill."""

    day: date
    resource: str
    service: str
    meter: str
    amount: float
    currency: str
    # Where the resource has none by itself, such as where it is gone.
    location: str = "westeurope"


class Bills:
    """All charges for what there is now, which may be changed at any time, and the budgets over them.

    They are computed when they are first needed: most tests need none.
    """

    def __init__(self, estate: Estate, now: datetime) -> None:
        self._resources, self._now = list(estate.resources.values()), now

    @cached_property
    def charges(self) -> list[Charge]:
        return list(_charges(self._resources, self._now))

    @cached_property
    def budgets(self) -> dict[str, Json]:
        now = self._now
        month = [one for one in self.charges if one.day >= now.date().replace(day=1)]
        spent = sum(one.amount for one in month if subscription_of(one.resource) == PRODUCTION)
        in_shop = sum(one.amount for one in month if one.resource.startswith(f"{SHOP}/".lower()))
        budgets = (
            _budget(f"/subscriptions/{PRODUCTION}", "bakery-production", spent / 0.92, now),
            _budget(SHOP, "shop", in_shop / 0.4, now),
        )
        return {str(one["id"]).lower(): one for one in budgets}

    def within(self, scope: str) -> Iterator[Charge]:
        start = f"{scope.lower()}/"
        return (one for one in self.charges if one.resource.lower().startswith(start))


def _charges(resources: Iterable[Resource], now: datetime) -> Iterator[Charge]:
    first = now.date() - timedelta(days=_DAYS)
    # The history has who created this disk, 70 hours ago.
    created = (now - timedelta(hours=70)).date()
    for resource in resources:
        for service, meter, price in _PRICES.get(resource.type, ()):
            is_new = resource.id == OLD_DISK
            begin = created if is_new else first
            amount = _DISK_A_DAY if is_new else price
            yield from _days(resource, service, "P20 LRS Disk" if is_new else meter, amount, (begin, now.date()))


def _days(resource: Resource, service: str, meter: str, price: float, days: tuple[date, date]) -> Iterator[Charge]:
    """Every day a little else, and the same whenever it is asked."""
    currency = _CURRENCIES.get(subscription_of(resource.id), "EUR")
    location = str(resource.document.get("location") or "westeurope")
    for number in range((days[1] - days[0]).days + 1):
        day = days[0] + timedelta(days=number)
        amount = round(price * (1 + (day.toordinal() % 7 - 3) / 100), 6)
        yield Charge(day, resource.id.lower(), service, meter, amount, currency, location)


def _budget(scope: str, name: str, amount: float, now: datetime) -> Json:
    notifications: dict[str, Any] = {
        "Actual_GreaterThan_90_Percent": {
            "enabled": True,
            "operator": "GreaterThan",
            "threshold": 90,
            "thresholdType": "Actual",
            "contactEmails": ["grace.brewster@example.com"],
            "contactRoles": ["Owner"],
            "contactGroups": [
                f"/subscriptions/{PRODUCTION}/resourceGroups/network-prod/providers/microsoft.insights/actionGroups/on-call"
            ],
        },
        "Forecasted_GreaterThan_100_Percent": {
            "enabled": True,
            "operator": "GreaterThan",
            "threshold": 100,
            "thresholdType": "Forecasted",
            "contactEmails": ["grace.brewster@example.com"],
        },
    }
    return {
        "id": f"{scope}/providers/Microsoft.Consumption/budgets/{name}",
        "name": name,
        "type": "Microsoft.Consumption/budgets",
        "eTag": '"1db8a0c1b2d3e4f"',
        "properties": {
            "category": "Cost",
            "amount": round(amount, 2),
            "timeGrain": "Monthly",
            "timePeriod": {
                "startDate": f"{now.year}-01-01T00:00:00Z",
                "endDate": f"{now.year + 1}-12-31T00:00:00Z",
            },
            "notifications": notifications,
        },
    }
