"""What the tools that change Cosmos DB share: how throughput is said, what is in something, and how it comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Fact
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import CosmosAccount, account_called
from clients.azure.cosmos.contents import CosmosPart, part_now
from clients.azure.cosmos.sizes import size_of
from clients.azure.failures import AzureRefusal
from clients.azure.messages import AzureRequest
from clients.azure.times import span
from refusal import Refusal
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import Judge
from tools.azure.shared.magnitudes import about
from tools.azure.shared.resource_change import ResourceChange, Shows

# What Cosmos DB itself permits, but for what somebody on the way could read as another path.
NAME: Final = r"^[^/\\#?%]{1,255}$"

NewName = Annotated[str, Field(pattern=NAME, description="Its name")]
Name = Annotated[str, Field(pattern=NAME, description="Its name; case counts")]
RequestUnits = Annotated[int | None, Field(ge=400, le=1_000_000, description="A second, by hand")]
UpTo = Annotated[int | None, Field(ge=1000, le=1_000_000, description="Instead: scales by itself so far")]

Ttl = Annotated[
    int | None, Field(ge=-1, le=2_147_483_647, description="Seconds until items go; -1: each says its own; 0: never")
]
Indexing = Annotated[
    dict[str, Any] | None, Field(description="A policy, whole: indexingMode, includedPaths, excludedPaths, ...")
]

_POLICY: Final = frozenset(
    {"automatic", "compositeIndexes", "excludedPaths", "fullTextIndexes", "includedPaths", "indexingMode"}
    | {"spatialIndexes", "vectorIndexes"}
)
_MEBIBYTE: Final = 1024 * 1024
_SECONDS_OF_METRICS: Final = "1h"
_CONTINUOUS: Final = "continuous"


def resource_of(request_units: int | None, up_to: int | None) -> Json:
    """Throughput as Cosmos DB is told it; nothing where none is said.

    Raises:
        Refusal: Both are said.
    """
    if request_units is not None and up_to is not None:
        raise Refusal("Throughput is either `request_units` by hand, or scales by itself `up_to` so many.")
    if up_to is not None:
        return {"autoscaleSettings": {"maxThroughput": up_to}}
    return {"throughput": request_units} if request_units is not None else {}


def options(account: CosmosAccount, request_units: int | None, up_to: int | None) -> Json:
    """The throughput that something new gets for itself."""
    given = resource_of(request_units, up_to)
    if given and account.is_serverless:
        raise Refusal(f"{account.id.name} is serverless: it has no throughput to be set.")
    return given


def throughput_told(resource: Mapping[str, Any]) -> str:
    highest = at(resource, "autoscaleSettings.maxThroughput")
    if highest:
        return f"up to {highest}, by itself"
    return f"{resource['throughput']}" if resource.get("throughput") else "none of its own"


async def existing(azure: Azure, wanted: CosmosPart, kind: str) -> CosmosPart:
    found = await part_now(azure, wanted)
    if found is None:
        raise Refusal(f"There is no {kind} {wanted.path!r}: case counts. list_cosmosdb_{kind}s names them.")
    return found


async def refuse_known(azure: Azure, wanted: CosmosPart, kind: str) -> None:
    """Cosmos DB would write over what is there."""
    if await part_now(azure, wanted) is not None:
        raise Refusal(f"There is a {kind} {wanted.path} already. Nothing was done.")


def part_change(
    azure: Azure, part: CosmosPart, request: AzureRequest, judge: Judge, shows: Shows, answers: Mapping[str, Any]
) -> ResourceChange:
    """The change of a database or a container; of one that is not there yet, its record is empty."""
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
    """How much there is, as somebody can agree to it; exactly, as a note; and what could not be found out."""
    try:
        size = await size_of(azure, account.id, span(_SECONDS_OF_METRICS, None), database, container)
    except AzureRefusal as refusal:
        return {}, [], [f"how much is in it: its metrics could not be read ({refusal.status} {refusal.code})"]
    if size.items is None and size.bytes is None:
        return {"items": "its metrics tell of none"}, [], []
    mebibytes = (size.bytes or 0) / _MEBIBYTE
    facts: dict[str, Fact] = {"items": about(size.items or 0), "MiB of data": about(mebibytes)}
    return facts, [f"Last measured: {size.items or 0:,} items, {mebibytes:,.1f} MiB."], []


def coming_back(account: CosmosAccount) -> str:
    """How what is deleted can be had back, if it can."""
    policy = account.properties.get("backupPolicy") or {}
    if str(policy.get("type")).lower() == _CONTINUOUS:
        tier = at(policy, "continuousModeProperties.tier") or "its time"
        return f"from the continuous backup, for {tier}, by `az cosmosdb restore` or in the portal"
    hours = at(policy, "periodicModeProperties.backupRetentionIntervalInHours")
    kept = f" within {hours} hours" if hours else ""
    return f"only by a request to Azure support{kept}, from periodic backups"


def grave(account: CosmosAccount) -> str:
    is_continuous = "continuous backup" in coming_back(account)
    return "" if is_continuous else "Nobody but Azure support can restore it, and that is not certain."


async def with_databases(azure: Azure, named: str, subscription: str | None) -> CosmosAccount:
    found = await account_called(azure, named, subscription)
    if found.api.name not in {"NoSQL", "MongoDB"}:
        raise Refusal(f"{found.id.name} has the {found.api.name} API: here NoSQL and MongoDB are changed.")
    return found


def said(ttl: int | None, indexing: Json | None) -> Json:
    if stray := sorted((indexing or {}).keys() - _POLICY):
        raise Refusal(f"An indexing policy has no {', '.join(stray)}. It has {', '.join(sorted(_POLICY))}.")
    return {**({"defaultTtl": ttl} if ttl else {}), **({"indexingPolicy": indexing} if indexing else {})}
