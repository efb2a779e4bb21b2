"""Cosmos DB accounts. Each account has one API, which has its own names for databases and containers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.named import Sort, one_called

ACCOUNT: Final = Sort("Microsoft.DocumentDB/databaseAccounts", "2024-11-15", "Cosmos DB account")


@dataclass(frozen=True, slots=True)
class Api:
    """The terms that one Cosmos DB API uses in paths for databases and containers. The Table API has no databases."""

    name: str
    databases: str
    containers: str


_SQL: Final = Api("NoSQL", "sqlDatabases", "containers")
_MONGODB: Final = Api("MongoDB", "mongodbDatabases", "collections")
_BY_CAPABILITY: Final[Mapping[str, Api]] = {
    "enablecassandra": Api("Cassandra", "cassandraKeyspaces", "tables"),
    "enablegremlin": Api("Gremlin", "gremlinDatabases", "graphs"),
    "enabletable": Api("Table", "", "tables"),
    "enablemongo": _MONGODB,
}
_SERVERLESS: Final = "enableserverless"


@dataclass(frozen=True, slots=True)
class CosmosAccount:
    record: Mapping[str, Any]

    @property
    def id(self) -> ResourceId:
        return ResourceId.of(str(self.record.get("id")))

    @property
    def properties(self) -> Mapping[str, Any]:
        found = self.record.get("properties")
        return found if isinstance(found, Mapping) else {}

    @property
    def capabilities(self) -> list[str]:
        found = self.properties.get("capabilities")
        return [str(one.get("name")) for one in found or () if isinstance(one, Mapping)]

    @property
    def api(self) -> Api:
        if str(self.record.get("kind")).lower() == "mongodb":
            return _MONGODB
        names = (name.lower() for name in self.capabilities)
        return next((_BY_CAPABILITY[name] for name in names if name in _BY_CAPABILITY), _SQL)

    @property
    def is_serverless(self) -> bool:
        is_so = str(self.properties.get("capacityMode")).lower() == "serverless"
        return is_so or any(name.lower() == _SERVERLESS for name in self.capabilities)


async def account_called(azure: Azure, named: str, subscription: str | None, *, anew: bool = True) -> CosmosAccount:
    return CosmosAccount(await one_called(azure, ACCOUNT, named, subscription, anew=anew))
