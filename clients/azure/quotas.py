"""Reads the limits of a subscription in a region, and their current use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.messages import AzureRequest

_MOST: Final = 1000
# Providers that report their own limits, each with the API version to use. For all other providers, the limits come
# from Microsoft.Quota.
_OWN: Final = {
    "microsoft.compute": "2024-07-01",
    "microsoft.network": "2024-01-01",
    "microsoft.storage": "2023-05-01",
}
_QUOTA_VERSION: Final = "2023-02-01"
_SKUS_VERSION: Final = "2021-07-01"
_SECONDS_SIZES_ARE_KEPT: Final = 3600.0
_MACHINES: Final = "virtualmachines"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit, and how much of it is used."""

    name: str
    title: str
    used: float
    limit: float

    @property
    def left(self) -> float:
        return self.limit - self.used

    @property
    def percent(self) -> float:
        return round(self.used / self.limit * 100, 1) if self.limit > 0 else 0.0


@dataclass(frozen=True, slots=True)
class MachineSize:
    """A virtual machine size in a region, with its family, cores and restrictions."""

    name: str
    family: str
    cores: int
    zones: tuple[str, ...]
    closed_zones: tuple[str, ...]
    is_closed: bool


async def limits_in(azure: Azure, subscription: str, namespace: str, region: str) -> list[Limit]:
    """The limits of a provider in a region."""
    place = "/subscriptions/{subscription}/providers/{namespace}/locations/{region}"
    values = {"subscription": subscription, "namespace": namespace, "region": region}
    version = _OWN.get(namespace.lower())
    if version:
        found = await azure.page(AzureRequest(f"GET {place}/usages", values, version=version), _MOST)
        return [one for one in map(_own, found.items) if one]
    line = f"GET {place}/providers/Microsoft.Quota"
    limits = await azure.page(AzureRequest(f"{line}/quotas", values, version=_QUOTA_VERSION), _MOST)
    usages = await azure.page(AzureRequest(f"{line}/usages", values, version=_QUOTA_VERSION), _MOST)
    used = {str(one.get("name")).lower(): _number(_at(one, "usages", "value")) for one in usages.items}
    return [one for record in limits.items if (one := _of_quota(record, used))]


async def sizes_in(azure: Azure, subscription: str, region: str) -> Mapping[str, MachineSize]:
    """The virtual machine sizes in a region. Each key is the name of a size in lowercase."""

    async def read() -> Mapping[str, MachineSize]:
        query = {"$filter": f"location eq '{region}'"}
        line = "GET /subscriptions/{subscription}/providers/Microsoft.Compute/skus"
        # If `gives_secrets` is set, values are not withheld. Capabilities look like settings with secret values, but
        # are public.
        request = AzureRequest(line, {"subscription": subscription}, query, version=_SKUS_VERSION, gives_secrets=True)
        found = (await azure.page(request, _MOST * 10)).items
        return {one.name.lower(): one for record in found if (one := _size(record))}

    return await azure.lately(("sizes", subscription, region), read, at_most=_SECONDS_SIZES_ARE_KEPT)


def _own(record: Mapping[str, Any]) -> Limit | None:
    name = record.get("name")
    words = name if isinstance(name, Mapping) else {}
    return _limit(words.get("value"), words.get("localizedValue"), record.get("currentValue"), record.get("limit"))


def _of_quota(record: Mapping[str, Any], used: Mapping[str, float | None]) -> Limit | None:
    """Parse a limit that Microsoft.Quota returned. The value of the limit is a number, or a number inside an object."""
    inner = _at(record, "limit")
    limit = inner.get("value") if isinstance(inner, Mapping) else inner
    words = _at(record, "name")
    named = words if isinstance(words, Mapping) else {}
    name = str(record.get("name") or named.get("value"))
    return _limit(name, named.get("localizedValue"), used.get(name.lower()) or 0, limit)


def _limit(name: Any, title: Any, used: Any, limit: Any) -> Limit | None:
    most, now = _number(limit), _number(used)
    if not name or most is None or now is None:
        return None
    return Limit(str(name), str(title or name), now, most)


def _size(record: Mapping[str, Any]) -> MachineSize | None:
    if str(record.get("resourceType")).lower() != _MACHINES:
        return None
    capabilities = {str(one.get("name")): one.get("value") for one in _objects(record.get("capabilities"))}
    cores = str(capabilities.get("vCPUs") or "")
    closed = [*_objects(record.get("restrictions"))]
    zones = sorted({str(zone) for one in _objects(record.get("locationInfo")) for zone in one.get("zones") or ()})
    closed_zones = sorted({str(zone) for one in closed for zone in _zones(one)})
    return MachineSize(
        str(record.get("name")),
        str(record.get("family") or ""),
        int(cores) if cores.isdecimal() else 0,
        tuple(zones),
        tuple(closed_zones),
        any(str(one.get("type")).lower() == "location" for one in closed),
    )


def _zones(restriction: Mapping[str, Any]) -> list[Any]:
    inner = restriction.get("restrictionInfo")
    found = inner.get("zones") if isinstance(inner, Mapping) else None
    return found if isinstance(found, list) and str(restriction.get("type")).lower() == "zone" else []


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    return (one for one in value or () if isinstance(one, Mapping)) if isinstance(value, list) else iter(())


def _at(record: Mapping[str, Any], *names: str) -> Any:
    found: Any = record.get("properties")
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None
