"""Deletes Cosmos DB databases and containers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple

from changes.preview import Fact, Preview
from changes.undo import by_hand
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount
from clients.azure.cosmos.contents import CosmosPart as Piece
from clients.azure.cosmos.contents import container_at, containers, database_at
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_changes import (
    Name,
    contents,
    existing,
    grave,
    part_change,
    recovery,
    with_databases,
)
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName
from tools.azure.cosmos.layouts import in_short
from tools.azure.shared.applying import SECONDS, gone
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_MOST: Final = 500
_SHOWN: Final = 50


@part.change(Access.DESTROY, harmless=(*OF_ACCOUNT, "database"), seconds=SECONDS)
async def delete_cosmosdb_database(
    azure: Arm, account: AccountName, database: Name, subscription: Subscription = None
) -> ResourceChange:
    """Delete a Cosmos DB database with its containers and all items."""
    found = await with_databases(azure, account, subscription)
    one = await existing(azure, database_at(found, database), "database")

    async def inside() -> dict[str, Fact]:
        page = await containers(azure, found, database, _MOST)
        names = sorted(each.name for each in page.items)[:_SHOWN]
        return {"containers": names, "number of containers": len(page.items)}

    return _deletion(azure, found, one, inside, _Of("Database", database))


@part.change(Access.DESTROY, harmless=(*OF_ACCOUNT, "database", "container"), seconds=SECONDS)
async def delete_cosmosdb_container(
    azure: Arm, account: AccountName, database: Name, container: Name, subscription: Subscription = None
) -> ResourceChange:
    """Delete a Cosmos DB container or collection with all items."""
    found = await with_databases(azure, account, subscription)
    one = await existing(azure, container_at(found, database, container), "container")

    async def inside() -> dict[str, Fact]:
        keys = [str(each) for each in in_short(one.layout).get("partition_key") or ()]
        return {"database": database, "partition key": keys}

    return _deletion(azure, found, one, inside, _Of("Container", database, container))


class _Of(NamedTuple):
    kind: str
    database: str
    container: str = ""


def _deletion(
    azure: Azure, account: CosmosAccount, one: Piece, inside: Callable[[], Awaitable[Mapping[str, Fact]]], of: _Of
) -> ResourceChange:
    async def shown(known: Inspected) -> Preview:
        own = await inside()
        facts, notes, missing = await contents(azure, account, of.database, of.container)
        return Preview(
            what=f"{of.kind} {one.path} of {account.id.name} and everything in it",
            sentence=f"Delete the {of.kind.lower()} {one.path} of {account.id.name} with all its items",
            facts={**known.facts(one.id), "api": account.api.name, **own, **facts, "recovery": recovery(account)},
            grave=grave(account),
            undo=by_hand(f"restorable {recovery(account)}"),
            missing=missing,
            notes=notes,
        )

    request = of_id("DELETE", one.id, version=ACCOUNT.version)
    return part_change(azure, one, request, gone, shown, {"deleted": one.path})
