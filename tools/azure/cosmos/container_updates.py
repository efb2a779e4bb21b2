"""Changes how long Cosmos DB containers keep items, and how they index items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call
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
    policies,
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

_READ_ONLY: Final = ("_rid", "_ts", "_etag", "_self")


def _may_delete_items(arguments: Mapping[str, Any]) -> bool:
    return bool(arguments.get("ttl"))


@part.change(
    Access.WRITE,
    destroys=_may_delete_items,
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
    """Change the TTL or the indexing policy of a Cosmos DB container."""
    found, one, layout = await _to_update(azure, account, database, container, ttl, indexing, subscription)
    update = _Update(azure, found, one, layout, ttl, changes_indexing=indexing is not None)
    return update.change()


@dataclass(frozen=True, slots=True)
class _Update:
    """A container, and its layout after the change."""

    azure: Azure
    account: CosmosAccount
    container: Piece
    layout: Json
    ttl: int | None
    changes_indexing: bool

    def change(self) -> ResourceChange:
        one, layout = self.container, self.layout
        request = of_id(
            "PUT", one.id, body={"properties": {"resource": layout, "options": {}}}, version=ACCOUNT.version
        )
        written = {name: layout[name] for name in ("indexingPolicy", "defaultTtl") if name in layout}
        judge = holding({"properties": {"resource": written}}, dict(one.record))
        change = part_change(self.azure, one, request, judge, self._shown, {"updated": one.path})
        return replace(change, is_no_op=_own_layout(one) == layout)

    async def _shown(self, known: Inspected) -> Preview:
        one, deletes = self.container, self._deletes_items
        size, notes, missing = await self._contents() if deletes else ({}, [], [])
        return Preview(
            what=f"Container {one.path} of {self.account.id.name}",
            sentence=f"Change the container {one.path} of {self.account.id.name}",
            facts={
                **known.facts(one.id),
                "partition key": [str(each) for each in in_short(one.layout).get("partition_key") or ()],
                **({f"{name} now": value for name, value in size.items()}),
            },
            edits=self._edits,
            effects=self._effects,
            undo=self._undo.but("expired items are not restored") if deletes else self._undo,
            grave=grave(self.account) if deletes else "",
            destroys=deletes,
            missing=missing,
            notes=notes,
        )

    async def _contents(self) -> tuple[dict[str, Fact], list[str], list[str]]:
        return await contents(self.azure, self.account, self._database, self.container.name)

    @property
    def _database(self) -> str:
        return self.container.database.name if self.container.database else ""

    @property
    def _edits(self) -> list[Edit]:
        before, after = in_short(self.container.layout), in_short(self.layout)
        return [Edit(name, str(before[name]), str(after[name])) for name in after if before[name] != after[name]]

    @property
    def _effects(self) -> list[str]:
        return [
            *(["Immediately deletes items that are already expired under the new TTL"] if self._deletes_items else []),
            *(["Reindexes all items, which uses request units"] if self.changes_indexing else []),
        ]

    @property
    def _undo(self) -> Undo:
        before = self.container.layout
        return by_call(
            "update_cosmosdb_container",
            account=self.account.id.text,
            database=self._database,
            container=self.container.name,
            ttl=None if self.ttl is None else before.get("defaultTtl") or 0,
            indexing=before.get("indexingPolicy") if self.changes_indexing else None,
        )

    @property
    def _deletes_items(self) -> bool:
        """Check whether the change makes existing items expire: the TTL gets shorter, or is set for the first time."""
        before = at(self.container.layout, "defaultTtl")
        if self.ttl is None or self.ttl <= 0:
            # With TTL -1, the items' own TTL values take effect.
            return self.ttl == -1 and not before
        return not isinstance(before, int) or before <= 0 or self.ttl < before


async def _to_update(
    azure: Azure,
    named: str,
    database: str,
    container: str,
    ttl: int | None,
    indexing: Json | None,
    subscription: str | None,
) -> tuple[CosmosAccount, Piece, Json]:
    """Return an account, a container and the container's new layout. Cosmos DB always replaces the whole layout."""
    if ttl is None and indexing is None:
        raise Refusal("Pass `ttl` or `indexing`.")
    found = await with_databases(azure, named, subscription)
    if found.api.name == "MongoDB":
        raise Refusal("Set the TTL and indexes of a MongoDB collection in MongoDB itself.")
    one = await existing(azure, container_at(found, database, container), "container")
    refuse_withheld(dict(one.layout))
    layout = _own_layout(one)
    if ttl == 0:
        layout.pop("defaultTtl", None)
    return found, one, {**layout, **policies(ttl, indexing)}


def _own_layout(one: Piece) -> Json:
    return {name: value for name, value in one.layout.items() if name not in _READ_ONLY}
