"""Shared code of the tools that change Cosmos DB. It covers throughput, the contents of databases and containers, and
the recovery of deleted data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from changes.preview import Fact
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import CosmosAccount, account_called
from clients.azure.cosmos.contents import CosmosPart, part_now
from clients.azure.cosmos.sizes import size_of
from clients.azure.failures import AzureRefusal
from clients.azure.messages import AzureRequest
from clients.azure.times import span
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import Judge
from tools.azure.shared.magnitudes import about
from tools.azure.shared.resource_change import ResourceChange, Shows

# Matches valid Cosmos DB names, except names with characters that could make a proxy read a different path.
NAME: Final = r"^[^/\\#?%]{1,255}$"

NewName = Annotated[str, Field(pattern=NAME, description="Its name")]
Name = Annotated[str, Field(pattern=NAME, description="Case-sensitive name")]
RequestUnits = Annotated[int | None, Field(ge=400, le=1_000_000, description="Manual RU/s")]
UpTo = Annotated[
    int | None, Field(ge=1000, le=1_000_000, description="Autoscale maximum RU/s, instead of request_units")
]

Ttl = Annotated[
    int | None, Field(ge=-1, le=2_147_483_647, description="Seconds until items expire; -1: set per item; 0: never")
]
Indexing = Annotated[
    dict[str, Any] | None, Field(description="Full policy: indexingMode, includedPaths, excludedPaths, ...")
]

_POLICY: Final = frozenset(
    {"automatic", "compositeIndexes", "excludedPaths", "fullTextIndexes", "includedPaths", "indexingMode"}
    | {"spatialIndexes", "vectorIndexes"}
)
_MEBIBYTE: Final = 1024 * 1024
_SECONDS_OF_METRICS: Final = "1h"
_CONTINUOUS: Final = "continuous"


def resource_of(request_units: int | None, up_to: int | None) -> Json:
    """Build the part of a request that sets the throughput. The result is empty if no throughput is given.

    Raises:
        Refusal: Both manual and autoscale throughput are given.
    """
    if request_units is not None and up_to is not None:
        raise Refusal("Pass either `request_units` (manual) or `up_to` (autoscale), not both.")
    if up_to is not None:
        return {"autoscaleSettings": {"maxThroughput": up_to}}
    return {"throughput": request_units} if request_units is not None else {}


def options(account: CosmosAccount, request_units: int | None, up_to: int | None) -> Json:
    """Build the options for creating a database or container. The options set only the dedicated throughput."""
    given = resource_of(request_units, up_to)
    if given and account.is_serverless:
        raise Refusal(f"{account.id.name} is serverless, so it has no throughput to set.")
    return given


def throughput_in_words(resource: Mapping[str, Any]) -> str:
    highest = at(resource, "autoscaleSettings.maxThroughput")
    if highest:
        return f"autoscale up to {highest}"
    return f"{resource['throughput']}" if resource.get("throughput") else "none of its own"


async def existing(azure: Azure, part: CosmosPart, kind: str) -> CosmosPart:
    found = await part_now(azure, part)
    if found is None:
        raise Refusal(
            f"{kind.capitalize()} {part.path!r} not found. Names are case-sensitive."
            f" Use list_cosmosdb_{kind}s to list the {kind}s."
        )
    return found


async def refuse_existing(azure: Azure, part: CosmosPart, kind: str) -> None:
    """Refuse to create a database or container that already exists, because Cosmos DB would overwrite it."""
    if await part_now(azure, part) is not None:
        raise Refusal(f"{kind.capitalize()} {part.path} already exists. Nothing was changed.")


def part_change(
    azure: Azure, part: CosmosPart, request: AzureRequest, judge: Judge, shows: Shows, answers: Mapping[str, Any]
) -> ResourceChange:
    """Build a change to a database or container. For a creation, the state before the change is None."""
    before = dict(part.record) or None
    call = look_call(part)
    return ResourceChange(
        azure, request, on=part.id, before=before, judge=judge, call=call, shows=shows, answers=answers
    )


def look_call(part: CosmosPart) -> str:
    account = "/" + "/".join(part.id.segments[:8])
    if part.database is None:
        return f"list_cosmosdb_databases(account={account!r})"
    return f"list_cosmosdb_containers(account={account!r}, database={part.database.name!r})"


async def contents(
    azure: Azure, account: CosmosAccount, database: str = "", container: str = ""
) -> tuple[dict[str, Fact], list[str], list[str]]:
    """Return the rounded size for the approval, a note with the exact size, and what could not be read."""
    try:
        size = await size_of(azure, account.id, span(_SECONDS_OF_METRICS, None), database, container)
    except AzureRefusal as refusal:
        return {}, [], [f"size: the metrics could not be read ({refusal.status} {refusal.code})"]
    if size.items is None and size.bytes is None:
        return {"items": "no data in the metrics"}, [], []
    mebibytes = (size.bytes or 0) / _MEBIBYTE
    facts: dict[str, Fact] = {"items": about(size.items or 0), "MiB of data": about(mebibytes)}
    return facts, [f"Last measured: {size.items or 0:,} items, {mebibytes:,.1f} MiB."], []


def recovery(account: CosmosAccount) -> str:
    """Describe how to restore deleted data."""
    policy = account.properties.get("backupPolicy") or {}
    if str(policy.get("type")).lower() == _CONTINUOUS:
        tier = at(policy, "continuousModeProperties.tier")
        backup = f"continuous backup ({tier})" if tier else "continuous backup"
        return f"from the {backup}, with `az cosmosdb restore` or in the portal"
    hours = at(policy, "periodicModeProperties.backupRetentionIntervalInHours")
    limit = f" within {hours} hours" if hours else ""
    return f"only by a request to Azure support{limit}, from periodic backups"


def grave(account: CosmosAccount) -> str:
    is_continuous = "continuous backup" in recovery(account)
    return "" if is_continuous else "Only Azure support can restore the data, and the restore may fail."


async def with_databases(azure: Azure, named: str, subscription: str | None) -> CosmosAccount:
    found = await account_called(azure, named, subscription)
    if found.api.name not in {"NoSQL", "MongoDB"}:
        raise Refusal(
            f"{found.id.name} uses the {found.api.name} API. This tool changes NoSQL and MongoDB accounts only."
        )
    return found


def policies(ttl: int | None, indexing: Json | None) -> Json:
    if unknown := sorted((indexing or {}).keys() - _POLICY):
        raise Refusal(f"`indexing` has unknown fields: {', '.join(unknown)}. Valid: {', '.join(sorted(_POLICY))}.")
    return {**({"defaultTtl": ttl} if ttl else {}), **({"indexingPolicy": indexing} if indexing else {})}
