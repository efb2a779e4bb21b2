"""Limits by region, and how much of them is used: of cores, by the machines and nodes that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, subscription_of
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, paged

_REGION: Final = "/subscriptions/{subscription}/providers/{namespace}/locations/{region}"
_QUOTA: Final = f"{_REGION}/providers/Microsoft.Quota"
_OF_REGIONS: Final = ("westeurope", "northeurope", "swedencentral", "germanywestcentral", "eastus", "westus3")
# Sizes of machines: family, cores, and in which regions none is to be had.
SIZES: Final[Mapping[str, tuple[str, int, tuple[str, ...]]]] = {
    "Standard_D2s_v3": ("standardDSv3Family", 2, ()),
    "Standard_D4s_v5": ("standardDSv5Family", 4, ()),
    "Standard_D8s_v5": ("standardDSv5Family", 8, ()),
    "Standard_B2s": ("standardBSFamily", 2, ()),
    "Standard_NC24ads_A100_v4": ("StandardNCADSA100v4Family", 24, ("westeurope", "northeurope")),
}
_TITLES: Final = {
    "cores": "Total Regional vCPUs",
    "lowPriorityCores": "Total Regional Low-priority vCPUs",
    "virtualMachines": "Virtual Machines",
    "standardDSv5Family": "Standard DSv5 Family vCPUs",
    "standardDSv3Family": "Standard DSv3 Family vCPUs",
    "standardBSFamily": "Standard BS Family vCPUs",
    "StandardNCADSA100v4Family": "Standard NCADS_A100_v4 Family vCPUs",
}
_LIMITS: Final = {"cores": 100, "lowPriorityCores": 20, "virtualMachines": 25000, "StandardNCADSA100v4Family": 0}


@dataclass
class Quotas:
    """`limits` may be changed: those of a region by their names."""

    estate: Estate
    access: Access
    limits: dict[tuple[str, str], float] = field(
        default_factory=lambda: {("westeurope", "standardDSv5Family"): 56, ("swedencentral", "standardDSv5Family"): 200}
    )

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"GET {_REGION}/usages", self._usages),
            Route(f"GET {_QUOTA}/quotas", self._quotas),
            Route(f"GET {_QUOTA}/usages", self._used),
            Route("GET /subscriptions/{subscription}/providers/Microsoft.Compute/skus", self._skus),
        ]

    def _usages(self, asked: Asked) -> Json:
        namespace = asked.places["namespace"].lower()
        known = {"microsoft.compute": self._compute, "microsoft.network": self._network, "microsoft.storage": _accounts}
        if namespace not in known:
            raise AzureError(404, "InvalidResourceType", f"The resource type 'usages' is not found in '{namespace}'.")
        self._check(asked, f"{asked.places['namespace']}/locations/usages/read")
        return {"value": list(known[namespace](asked))}

    def _check(self, asked: Asked, action: str) -> None:
        self.access.demand(asked, action, f"/subscriptions/{asked.places['subscription']}")
        region = asked.places.get("region", _OF_REGIONS[0])
        if region not in _OF_REGIONS:
            message = f"The provided location '{region}' is not available for resource type 'locations/usages'."
            raise AzureError(400, "NoRegisteredProviderFound", message)

    def _compute(self, asked: Asked) -> Iterator[Json]:
        region = asked.places["region"]
        used = self._cores(asked.places["subscription"], region)
        for name, title in _TITLES.items():
            limit = self.limits.get((region, name), _LIMITS.get(name, 50))
            yield _usage(name, title, used.get(name, 0), limit)

    def _cores(self, subscription: str, region: str) -> dict[str, int]:
        used: dict[str, int] = {}
        for size, number in self._machines(subscription, region):
            family, cores, _ = SIZES.get(size, ("otherFamily", 0, ()))
            for name, amount in ((family, cores * number), ("cores", cores * number), ("virtualMachines", number)):
                used[name] = used.get(name, 0) + amount
        return used

    def _machines(self, subscription: str, region: str) -> Iterator[tuple[str, int]]:
        for one in self.estate.resources.values():
            if subscription_of(one.id) != subscription.lower() or one.document.get("location") != region:
                continue
            if one.type == "Microsoft.Compute/virtualMachines":
                yield one.properties["hardwareProfile"]["vmSize"], 1
            for pool in one.properties.get("agentPoolProfiles") or ():
                yield pool["vmSize"], pool["count"]

    def _network(self, asked: Asked) -> Iterator[Json]:
        place = f"/subscriptions/{asked.places['subscription']}/providers/Microsoft.Network/locations"
        kinds = {
            "VirtualNetworks": ("Virtual Networks", "Microsoft.Network/virtualNetworks", 1000),
            "PublicIPAddresses": ("Public IP Addresses", "Microsoft.Network/publicIPAddresses", 1000),
        }
        for name, (title, kind, limit) in kinds.items():
            number = sum(
                one.type == kind and subscription_of(one.id) == asked.places["subscription"].lower()
                for one in self.estate.resources.values()
            )
            about = {"id": f"{place}/{asked.places['region']}/usages/{name}", "isAdjustable": True}
            yield {**about, **_usage(name, title, number, limit)}

    def _quotas(self, asked: Asked) -> Json:
        self._check_registered(asked)
        return paged(asked, [_quota(asked, one, "quotas", _limit(one)) for one in self._compute(asked)], 50)

    def _used(self, asked: Asked) -> Json:
        self._check_registered(asked)
        found = [
            _quota(asked, one, "usages", {"usages": {"value": one["currentValue"]}}) for one in self._compute(asked)
        ]
        return paged(asked, found, 50)

    def _check_registered(self, asked: Asked) -> None:
        self._check(asked, "Microsoft.Quota/quotas/read")
        if (asked.places["subscription"].lower(), "Microsoft.Quota") in self.estate.unregistered:
            message = (
                f"The subscription '{asked.places['subscription']}' is not registered to use namespace"
                " 'Microsoft.Quota'. See https://aka.ms/rps-not-found for how to register subscriptions."
            )
            raise AzureError(409, "MissingSubscriptionRegistration", message)

    def _skus(self, asked: Asked) -> Json:
        self._check(asked, "Microsoft.Compute/skus/read")
        region = asked.query.get("$filter", "").removeprefix("location eq ").strip("'")
        return {"value": [_sku(name, region) for name in SIZES]}


def _usage(name: str, title: str, used: float, limit: float) -> Json:
    return {"limit": limit, "unit": "Count", "currentValue": used, "name": {"value": name, "localizedValue": title}}


def _accounts(_: Asked) -> Iterator[Json]:
    yield _usage("StorageAccounts", "Storage Accounts", 240, 250)


def _limit(usage: Json) -> Json:
    return {"limit": {"limitObjectType": "LimitValue", "limitType": "Independent", "value": usage["limit"]}}


def _quota(asked: Asked, usage: Json, kind: str, more: Json) -> Json:
    name = usage["name"]["value"]
    return {
        "id": f"{asked.path.rpartition('/')[0]}/{kind}/{name}",
        "name": name,
        "type": f"Microsoft.Quota/{kind.capitalize()}",
        "properties": {"name": usage["name"], "unit": "Count", "isQuotaApplicable": True, "properties": {}, **more},
    }


def _sku(name: str, region: str) -> Json:
    family, cores, closed = SIZES[name]
    restrictions: list[Json] = [
        {
            "type": "Zone",
            "values": [region],
            "restrictionInfo": {"locations": [region], "zones": ["3"]},
            "reasonCode": "NotAvailableForSubscription",
        }
    ]
    if region in closed:
        about: Any = {"locations": [region]}
        where = {"type": "Location", "values": [region], "restrictionInfo": about}
        restrictions.append({**where, "reasonCode": "NotAvailableForSubscription"})
    return {
        "resourceType": "virtualMachines",
        "name": name,
        "tier": "Standard",
        "size": name.removeprefix("Standard_"),
        "family": family,
        "locations": [region],
        "locationInfo": [{"location": region, "zones": ["1", "2", "3"], "zoneDetails": []}],
        "capabilities": [{"name": "vCPUs", "value": str(cores)}, {"name": "MemoryGB", "value": str(cores * 4)}],
        "restrictions": restrictions,
    }
