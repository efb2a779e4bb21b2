"""Changing containers of Cosmos DB: how long their items stay, and how they are indexed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from changes.preview import Edit, Preview
from changes.undo import by_call
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount
from clients.azure.cosmos.contents import CosmosPart as Piece
from clients.azure.cosmos.contents import container_at
from clients.azure.messages import of_id
from clients.azure.whole import refuse_withheld
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_changes import (
    Indexing,
    Name,
    Ttl,
    contents,
    existing,
    grave,
    part_change,
    said,
    with_databases,
)
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName
from tools.azure.cosmos.layouts import in_short
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, holding
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_OWN: Final = ("_rid", "_ts", "_etag", "_self")


def _may_let_items_go(meant: Mapping[str, Any]) -> bool:
    return bool(meant.get("ttl"))


@part.change(
    Access.WRITE,
    destroys=_may_let_items_go,
    harmless=(*OF_ACCOUNT, "database", "container", "ttl"),
    seconds=SECONDS,
)
async def update_cosmosdb_container(
    azure: Arm,
    account: AccountName,
    database: Name,
    container: Name,
    ttl: Ttl = None,
    indexing: Indexing = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Change how long items of a Cosmos DB container stay, or its indexing policy."""
    found, one, layout = await _to_update(azure, account, database, container, ttl, indexing, subscription)
    goes = _lets_items_go(one.layout, ttl)
    before, after = in_short(one.layout), in_short(layout)
    edits = [Edit(name, str(before[name]), str(after[name])) for name in after if before[name] != after[name]]

    undo = by_call(
        "update_cosmosdb_container",
        account=found.id.text,
        database=database,
        container=container,
        ttl=None if ttl is None else one.layout.get("defaultTtl") or 0,
        indexing=one.layout.get("indexingPolicy") if indexing else None,
    )

    async def shown(known: Inspected) -> Preview:
        facts, notes, missing = await contents(azure, found, database, container) if goes else ({}, [], [])
        return Preview(
            what=f"Container {one.path} of {found.id.name}",
            sentence=f"Change the container {one.path} of {found.id.name}",
            facts={
                **known.facts(one.id),
                "partition key": [str(each) for each in before.get("partition_key") or ()],
                **({f"{name} now": value for name, value in facts.items()}),
            },
            edits=edits,
            effects=[
                *(["Deletes the items that are older, at once"] if goes else []),
                *(["Indexes all items anew, which takes request units"] if indexing else []),
            ],
            undo=undo.but("items that go do not come back") if goes else undo,
            grave=grave(found) if goes else "",
            destroys=goes,
            missing=missing,
            notes=notes,
        )

    body = {"properties": {"resource": layout, "options": {}}}
    wanted = {name: layout[name] for name in ("indexingPolicy", "defaultTtl") if name in layout}
    judge = holding({"properties": {"resource": wanted}}, dict(one.record))
    request = of_id("PUT", one.id, body=body, version=ACCOUNT.version)
    change = part_change(azure, one, request, judge, shown, {"updated": one.path})
    return replace(change, is_no_op=_kept(one) == layout)


async def _to_update(
    azure: Azure,
    named: str,
    database: str,
    container: str,
    ttl: int | None,
    indexing: Json | None,
    subscription: str | None,
) -> tuple[CosmosAccount, Piece, Json]:
    """The container, and what it would be: Cosmos DB is told all of it."""
    if ttl is None and indexing is None:
        raise Refusal("Say what to change: `ttl` or `indexing`.")
    found = await with_databases(azure, named, subscription)
    if found.api.name == "MongoDB":
        raise Refusal("TTL and indexes of a collection of MongoDB are said in MongoDB itself.")
    one = await existing(azure, container_at(found, database, container), "container")
    refuse_withheld(dict(one.layout))
    kept = _kept(one)
    if ttl == 0:
        kept.pop("defaultTtl", None)
    return found, one, {**kept, **said(ttl, indexing)}


def _kept(one: Piece) -> Json:
    return {name: value for name, value in one.layout.items() if name not in _OWN}


def _lets_items_go(layout: Mapping[str, Any], ttl: int | None) -> bool:
    """Whether items that stay now would go: where their time gets shorter, or gets an end at all."""
    if ttl is None or ttl <= 0:
        # Items that say their own time may have done so in vain until now.
        return ttl == -1 and not at(layout, "defaultTtl")
    before = at(layout, "defaultTtl")
    return not isinstance(before, int) or before <= 0 or ttl < before
