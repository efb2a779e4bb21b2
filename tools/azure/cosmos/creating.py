"""Creates Cosmos DB databases and containers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount
from clients.azure.cosmos.contents import CosmosPart as Piece
from clients.azure.cosmos.contents import container_at, database_at
from clients.azure.messages import of_id
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_changes import (
    Indexing,
    Name,
    NewName,
    RequestUnits,
    Ttl,
    UpTo,
    existing,
    options,
    part_change,
    policies,
    refuse_existing,
    throughput_in_words,
    with_databases,
)
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName
from tools.azure.cosmos.layouts import in_short
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import SECONDS, made
from tools.azure.shared.inspecting import NOT_YET
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()


KeyPath = Annotated[str, Field(pattern=r"^/?[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$")]
PartitionKey = Annotated[
    list[KeyPath],
    Field(min_length=1, max_length=3, description=("Paths like /tenant; several paths form a hierarchical key")),
]
UniqueKeys = Annotated[
    list[Annotated[list[KeyPath], Field(min_length=1, max_length=16)]] | None,
    Field(max_length=10, description="Paths of each unique key"),
]


@part.change(
    Access.WRITE,
    harmless=(*OF_ACCOUNT, "database", "request_units", "up_to"),
    seconds=SECONDS,
)
async def create_cosmosdb_database(
    azure: Arm,
    account: AccountName,
    database: NewName,
    request_units: RequestUnits = None,
    up_to: UpTo = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a Cosmos DB database (NoSQL, MongoDB) whose containers share the given throughput."""
    found = await with_databases(azure, account, subscription)
    given = options(found, request_units, up_to)
    shares = "shared by all its containers" if given else "each container has its own"
    new = _New(found, database_at(found, database), "database", {"id": database}, given, {"throughput": shares})
    return await new.change(azure, by_call("delete_cosmosdb_database", account=found.id.text, database=database))


@part.change(
    Access.WRITE,
    harmless=(*OF_ACCOUNT, "database", "container", "partition_key", "ttl", "request_units", "up_to"),
    seconds=SECONDS,
)
async def create_cosmosdb_container(
    azure: Arm,
    account: AccountName,
    database: Name,
    container: NewName,
    partition_key: PartitionKey,
    ttl: Ttl = None,
    indexing: Indexing = None,
    unique_keys: UniqueKeys = None,
    request_units: RequestUnits = None,
    up_to: UpTo = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a Cosmos DB container, or a MongoDB collection with partition_key as its shard key."""
    found = await with_databases(azure, account, subscription)
    owner = await existing(azure, database_at(found, database), "database")
    layout = _layout(found, container, partition_key, ttl, indexing) | _unique(found, unique_keys)
    summary = {name: one for name, one in in_short(layout).items() if one}
    facts: dict[str, Fact] = {
        "database": owner.name,
        "fixed at creation": "partition key and unique keys",
        "partition key": [str(one) for one in summary.get("partition_key") or ()],
        "items expire": str(summary["ttl"]) if summary.get("ttl") else "never",
        "indexing": str(summary["indexing"]) if summary.get("indexing") else "default",
    }
    place, given = container_at(found, database, container), options(found, request_units, up_to)
    own = {"account": found.id.text, "database": database, "container": container}
    return await _New(found, place, "container", layout, given, facts).change(
        azure, by_call("delete_cosmosdb_container", **own)
    )


@dataclass(frozen=True, slots=True)
class _New:
    """A database or container to create."""

    account: CosmosAccount
    place: Piece
    kind: str
    layout: Json
    given: Json
    facts: Mapping[str, Fact]

    async def change(self, azure: Azure, undo: Undo) -> ResourceChange:
        await refuse_existing(azure, self.place, self.kind)
        body = {"properties": {"resource": self.layout, "options": self.given}}
        request = of_id("PUT", self.place.id, body=body, version=ACCOUNT.version)
        answers = {"created": self.place.path, "throughput": throughput_in_words(self.given)}
        return part_change(azure, self.place, request, made, lambda _: self._shown(undo), answers)

    def _shown(self, undo: Undo) -> Preview:
        account = self.account
        own: dict[str, Fact] = {
            "account": account.id.name,
            "api": account.api.name,
            "location": str(account.record.get("location") or ""),
            **NOT_YET,
        }
        throughput = "serverless" if account.is_serverless else throughput_in_words(self.given)
        return Preview(
            what=f"New {self.kind} {self.place.path} in {account.id.name}",
            sentence=f"Create the {self.kind} {self.place.path} in the Cosmos DB account {account.id.name}",
            facts={**own, **self.facts},
            edits=[Edit("throughput", None, throughput)],
            undo=undo,
            destroys=False,
        )


def _layout(account: CosmosAccount, name: str, keys: list[str], ttl: int | None, indexing: Json | None) -> Json:
    """Build the layout of a new container in the format of the account's API."""
    if account.api.name == "MongoDB":
        if ttl is not None or indexing is not None or len(keys) > 1:
            raise Refusal(
                "For a MongoDB collection, pass one path in `partition_key`, and omit `ttl` and `indexing`. Set the TTL"
                " and indexes in MongoDB itself."
            )
        return {"id": name, "shardKey": {keys[0].lstrip("/"): "Hash"}}
    paths = [f"/{key.lstrip('/')}" for key in keys]
    own = {"partitionKey": {"paths": paths, "kind": "MultiHash" if len(paths) > 1 else "Hash", "version": 2}}
    return {"id": name, **own, **policies(ttl, indexing)}


def _unique(account: CosmosAccount, keys: list[list[str]] | None) -> Json:
    if not keys:
        return {}
    if account.api.name == "MongoDB":
        raise Refusal("Omit `unique_keys`. Create unique indexes of a MongoDB collection in MongoDB itself.")
    return {"uniqueKeyPolicy": {"uniqueKeys": [{"paths": [f"/{one.lstrip('/')}" for one in each]} for each in keys]}}
