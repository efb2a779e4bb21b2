"""Changing the throughput of databases and containers of Cosmos DB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount, account_called
from clients.azure.cosmos.contents import CosmosPart as Piece
from clients.azure.cosmos.contents import Throughput, container_at, database_at, throughput
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_changes import (
    NAME,
    Name,
    RequestUnits,
    UpTo,
    existing,
    look_call,
    resource_of,
    throughput_told,
)
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, AppliedChange, Judge, OutcomeCheck, SeenOutcome, change
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.monthly_cost import CostChange, cost_in_words
from tools.azure.shared.monthly_cost import throughput as throughput_price
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_PLACE: Final = ("throughputSettings", "default")

Container = Annotated[str | None, Field(pattern=NAME, description="Not what its database shares")]


@part.change(
    Access.WRITE,
    interrupts=True,
    harmless=(*OF_ACCOUNT, "database", "container", "request_units", "up_to"),
    seconds=SECONDS,
)
async def set_cosmosdb_throughput(
    azure: Arm,
    account: AccountName,
    database: Name,
    container: Container = None,
    request_units: RequestUnits = None,
    up_to: UpTo = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Set the throughput of a Cosmos DB database or container: by hand, or scaling by itself."""
    found, one, now = await _meant(azure, account, database, container, subscription)
    given = _given(request_units, up_to)
    moves = bool(now.highest) is not (up_to is not None)
    place = ResourceId((*one.id.segments, *_PLACE))
    request = of_id("PUT", place, body={"properties": {"resource": given}}, version=ACCOUNT.version)

    async def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"Throughput of {one.path} in {found.id.name}",
            sentence=f"Set the throughput of {one.path} in {found.id.name}",
            facts={
                **known.facts(one.id),
                "least that it can have": str(now.record.get("minimumThroughput") or ""),
                "most at once": str(now.record.get("instantMaximumThroughput") or ""),
                "api": found.api.name,
            },
            edits=[Edit("throughput", throughput_told(now.record), throughput_told(given))],
            effects=["Switches between manual and autoscale throughput first"] if moves else [],
            undo=_undo(found, one, now),
            destroys=False,
            cost=await cost_in_words(azure, _cost(found, one, now, given)),
        )

    async def sent(look: OutcomeCheck) -> AppliedChange:
        if moves:
            await _move(azure, one, scales=up_to is not None)
        return await change(azure, request, look)

    return ResourceChange(
        azure,
        request,
        on=one.id,
        before=dict(now.document),
        looking=of_id("GET", place, version=ACCOUNT.version),
        judge=_has(given),
        call=look_call(one),
        shows=shown,
        sends=sent,
        answers={"path": one.path, "throughput": throughput_told(given)},
        is_no_op=throughput_told(now.record) == throughput_told(given),
    )


def _cost(found: CosmosAccount, one: Piece, now: Throughput, given: Json) -> Sequence[CostChange]:
    """What throughput that is set by hand costs; what scales by itself costs what is used."""
    regions = list(found.properties.get("locations") or ())
    before, after = now.record.get("throughput"), given.get("throughput")
    is_simple = not now.highest and bool(regions) and not found.properties.get("enableMultipleWriteLocations")
    if not is_simple or not isinstance(before, int) or not isinstance(after, int):
        return []
    region, times = str(regions[0].get("locationName")), len(regions)
    prices = throughput_price(region, before * times), throughput_price(region, after * times)
    return [CostChange(f"throughput of {one.path}", *prices)]


def _undo(account: CosmosAccount, one: Piece, now: Throughput) -> Undo:
    database = one.database.name if one.database else one.name
    return by_call(
        "set_cosmosdb_throughput",
        account=account.id.text,
        database=database,
        container=one.name if one.database else None,
        request_units=None if now.highest else now.record.get("throughput"),
        up_to=now.highest or None,
    )


async def _move(azure: Azure, one: Piece, *, scales: bool) -> None:
    """From by hand to by itself, or back: Cosmos DB does that apart, and chooses how much it is then."""
    place = ResourceId((*one.id.segments, *_PLACE))
    way = "migrateToAutoscale" if scales else "migrateToManualThroughput"
    look = OutcomeCheck(of_id("GET", place, version=ACCOUNT.version), _moved(scales=scales), look_call(one))
    done = await change(azure, of_id("POST", place, f"/{way}", version=ACCOUNT.version), look)
    if done.is_under_way:
        raise Refusal(
            f"{one.path} is being moved first, which takes longer. Send the very same call again in a minute."
        )


def _has(given: Json) -> Judge:
    told = throughput_told(given)

    def judge(found: Json | None) -> SeenOutcome:
        is_so = found is not None and throughput_told(at(found, "properties.resource") or {}) == told
        return SeenOutcome.DONE if is_so else SeenOutcome.NOT_DONE

    return judge


def _moved(*, scales: bool) -> Judge:
    def judge(found: Json | None) -> SeenOutcome:
        is_so = bool(at(found, "properties.resource.autoscaleSettings.maxThroughput")) is scales
        return SeenOutcome.DONE if found is not None and is_so else SeenOutcome.NOT_DONE

    return judge


def _given(request_units: int | None, up_to: int | None) -> Json:
    given = resource_of(request_units, up_to)
    if not given:
        raise Refusal("Say how much: `request_units` by hand, or `up_to` by itself.")
    return given


async def _meant(
    azure: Azure, named: str, database: str, container: str | None, subscription: str | None
) -> tuple[CosmosAccount, Piece, Throughput]:
    found = await account_called(azure, named, subscription)
    if found.is_serverless:
        raise Refusal(f"{found.id.name} is serverless: it has no throughput to be set.")
    if not found.api.databases:
        raise Refusal(f"The {found.api.name} API has no databases: its throughput is not set here.")
    wanted = container_at(found, database, container) if container else database_at(found, database)
    one = await existing(azure, wanted, "container" if container else "database")
    now = await throughput(azure, one.id)
    if now is None:
        rest = "It has what its database has." if container else "Each of its containers has its own."
        raise Refusal(f"{one.path} has no throughput of its own. {rest}")
    return found, one, now
