"""Deleting databases and containers of Cosmos DB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from changes.preview import Fact, Preview
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, Account
from clients.azure.cosmos.contents import Part as Piece
from clients.azure.cosmos.contents import container_at, containers, database_at
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from tools.azure.cosmos.changing import (
    Name,
    changed,
    coming_back,
    contents,
    existing,
    grave,
    with_databases,
)
from tools.azure.cosmos.layouts import in_short
from tools.azure.cosmos.shared import OF_ACCOUNT, AccountName
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json
from tools.azure.shared.doing import SECONDS, gone
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.previews import look_at

part = Part()

_MOST: Final = 500
_SHOWN: Final = 50


async def _database_gone(
    azure: Arm, account: AccountName, database: Name, subscription: Subscription = None
) -> Preview:
    found = await with_databases(azure, account, subscription)
    one = await existing(azure, database_at(found, database), "database")
    page = await containers(azure, found, database, _MOST)
    inside: dict[str, Fact] = {
        "containers": sorted(each.name for each in page.items)[:_SHOWN],
        "number of containers": len(page.items),
    }
    return await _gone_preview(azure, found, one, "Database", inside, database, "")


@part.tool(Access.DESTROY, previewed=_database_gone, harmless=(*OF_ACCOUNT, "database"), seconds=SECONDS)
async def delete_cosmosdb_database(
    azure: Arm, account: AccountName, database: Name, subscription: Subscription = None
) -> Json:
    """Delete a Cosmos DB database with its containers and all items."""
    found = await with_databases(azure, account, subscription)
    return await _delete(azure, await existing(azure, database_at(found, database), "database"))


async def _container_gone(
    azure: Arm, account: AccountName, database: Name, container: Name, subscription: Subscription = None
) -> Preview:
    found = await with_databases(azure, account, subscription)
    one = await existing(azure, container_at(found, database, container), "container")
    keys = [str(each) for each in in_short(one.layout).get("partition_key") or ()]
    inside: dict[str, Fact] = {"database": database, "partition key": keys}
    return await _gone_preview(azure, found, one, "Container", inside, database, container)


@part.tool(Access.DESTROY, previewed=_container_gone, harmless=(*OF_ACCOUNT, "database", "container"), seconds=SECONDS)
async def delete_cosmosdb_container(
    azure: Arm, account: AccountName, database: Name, container: Name, subscription: Subscription = None
) -> Json:
    """Delete a Cosmos DB container or collection with all items."""
    found = await with_databases(azure, account, subscription)
    return await _delete(azure, await existing(azure, container_at(found, database, container), "container"))


async def _delete(azure: Azure, one: Piece) -> Json:
    done = await changed(azure, one, of_id("DELETE", one.id, version=ACCOUNT.version), gone)
    return done.told(deleted=one.path)


async def _gone_preview(
    azure: Azure, account: Account, one: Piece, kind: str, inside: Mapping[str, Fact], database: str, container: str
) -> Preview:
    known = await look_at(azure, one.id, seen=[dict(one.record)])
    known.refuse_locked("delete")
    facts, notes, missing = await contents(azure, account, database, container)
    return Preview(
        what=f"{kind} {one.path} of {account.id.name} with all that is in it",
        facts={**known.facts(one.id), "api": account.api.name, **inside, **facts, "comes back": coming_back(account)},
        places=known.places,
        grave=grave(account),
        missing=sorted([*known.missing, *missing]),
        notes=notes,
    )
