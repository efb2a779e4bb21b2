"""Reads databases and containers of a Cosmos DB account from Resource Manager, without their data."""

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
# The number of segments in the ID of an account.
_OF_ACCOUNT: Final = 8


@dataclass(frozen=True, slots=True)
class Throughput:
    """The provisioned request units per second: either a fixed number, or autoscale up to a maximum."""

    record: Mapping[str, Any]
    # Azure's full response. The response also contains the ID and type of the throughput settings.
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def highest(self) -> int | None:
        """The maximum throughput of autoscale; None if autoscale is off."""
        settings = self.record.get("autoscaleSettings")
        return settings.get("maxThroughput") if isinstance(settings, Mapping) else None


@dataclass(frozen=True, slots=True)
class CosmosPart:
    """A database, or a container in a database."""

    id: ResourceId
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.id.name

    @property
    def path(self) -> str:
        """The name of a database, or `database/container` for a container."""
        return "/".join(self.id.segments[_OF_ACCOUNT + 1 :: 2])

    @property
    def database(self) -> CosmosPart | None:
        """The database of this container, with only its ID set. None for databases, and for tables of the Table API."""
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
    """The containers of a database, or of an account whose API has no databases."""
    above = (account.api.databases, database) if database else ()
    return await _parts(azure, ResourceId((*account.id.segments, *above)), account.api.containers, limit)


def database_at(account: CosmosAccount, name: str) -> CosmosPart:
    """The ID of a database. The database does not have to exist yet."""
    return CosmosPart(ResourceId((*account.id.segments, account.api.databases, name)), {})


def container_at(account: CosmosAccount, database: str, name: str) -> CosmosPart:
    """The ID of a container. The container does not have to exist yet."""
    above = database_at(account, database).id.segments if account.api.databases else account.id.segments
    return CosmosPart(ResourceId((*above, account.api.containers, name)), {})


async def part_now(azure: Azure, wanted: CosmosPart) -> CosmosPart | None:
    """Read the current state of a database or container; None if it does not exist."""
    try:
        return CosmosPart(wanted.id, await azure.json(of_id("GET", wanted.id, version=ACCOUNT.version)))
    except AzureRefusal as refusal:
        if refusal.status == _NOT_FOUND:
            return None
        raise


async def throughput(azure: Azure, place: ResourceId) -> Throughput | None:
    """The dedicated throughput of a database or container; None if no dedicated throughput is set."""
    try:
        found = await azure.json(of_id("GET", place, "/throughputSettings/default", version=ACCOUNT.version))
    except AzureRefusal as refusal:
        if refusal.status == _NOT_FOUND:
            return None
        raise
    return Throughput(CosmosPart(place, found).layout, found)


async def _parts(azure: Azure, place: ResourceId, folder: str, limit: int) -> ListPage:
    page = await azure.page(of_id("GET", place, f"/{folder}", version=ACCOUNT.version), limit)
    # Build the IDs from names only, so that a response cannot direct later requests to another account.
    found = [CosmosPart(ResourceId((*place.segments, folder, str(one.get("name")))), one) for one in page.items]
    return ListPage(found, page.has_more, page.left_out)
