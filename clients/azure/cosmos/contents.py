"""What is in an account of Cosmos DB, as Resource Manager tells it: how it is laid out, and none of its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id

_NOT_FOUND: Final = 404
# What comes before in every id: those of the account.
_OF_ACCOUNT: Final = 8


@dataclass(frozen=True, slots=True)
class Throughput:
    """Request units a second: so many by hand, or up to so many by themselves."""

    record: Mapping[str, Any]
    # All that Azure tells of it, of which the record is a part.
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def highest(self) -> int | None:
        """How far it scales by itself; None where it does not."""
        settings = self.record.get("autoscaleSettings")
        return settings.get("maxThroughput") if isinstance(settings, Mapping) else None


@dataclass(frozen=True, slots=True)
class CosmosPart:
    """A database, or a container in one."""

    id: ResourceId
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.id.name

    @property
    def path(self) -> str:
        """Its name, behind that of its database."""
        return "/".join(self.id.segments[_OF_ACCOUNT + 1 :: 2])

    @property
    def database(self) -> CosmosPart | None:
        """What it is in, of which nothing but the id is known; databases and tables are in none."""
        above = self.id.segments[:-2]
        return CosmosPart(ResourceId(above), {}) if len(above) > _OF_ACCOUNT else None

    @property
    def layout(self) -> Mapping[str, Any]:
        properties = self.record.get("properties")
        found = properties.get("resource") if isinstance(properties, Mapping) else None
        return found if isinstance(found, Mapping) else {}


async def databases(azure: Azure, account: CosmosAccount, limit: int) -> ListPage:
    return await _parts(azure, account.id, account.api.databases, limit)


async def containers(azure: Azure, account: CosmosAccount, database: str, limit: int) -> ListPage:
    """Those of one database, or all of an account whose API has no databases."""
    above = (account.api.databases, database) if database else ()
    return await _parts(azure, ResourceId((*account.id.segments, *above)), account.api.containers, limit)


def database_at(account: CosmosAccount, name: str) -> CosmosPart:
    """Where a database of a name is, or will be."""
    return CosmosPart(ResourceId((*account.id.segments, account.api.databases, name)), {})


def container_at(account: CosmosAccount, database: str, name: str) -> CosmosPart:
    """Where a container of a name is, or will be."""
    above = database_at(account, database).id.segments if account.api.databases else account.id.segments
    return CosmosPart(ResourceId((*above, account.api.containers, name)), {})


async def part_now(azure: Azure, wanted: CosmosPart) -> CosmosPart | None:
    """It as it is at this moment; None where it is not there."""
    try:
        return CosmosPart(wanted.id, await azure.json(of_id("GET", wanted.id, version=ACCOUNT.version)))
    except AzureRefusal as refusal:
        if refusal.status == _NOT_FOUND:
            return None
        raise


async def throughput(azure: Azure, place: ResourceId) -> Throughput | None:
    """What a database or a container has for itself; None where it has nothing of its own."""
    try:
        found = await azure.json(of_id("GET", place, "/throughputSettings/default", version=ACCOUNT.version))
    except AzureRefusal as refusal:
        if refusal.status == _NOT_FOUND:
            return None
        raise
    return Throughput(CosmosPart(place, found).layout, found)


async def _parts(azure: Azure, place: ResourceId, folder: str, limit: int) -> ListPage:
    page = await azure.page(of_id("GET", place, f"/{folder}", version=ACCOUNT.version), limit)
    # Of ids only the names are taken: none leads to another account.
    found = [CosmosPart(ResourceId((*place.segments, folder, str(one.get("name")))), one) for one in page.items]
    return ListPage(found, page.has_more, page.left_out)
