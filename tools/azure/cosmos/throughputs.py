"""Changes the throughput of Cosmos DB databases and containers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount, account_called
from clients.azure.cosmos.contents import CosmosPart as Piece
from clients.azure.cosmos.contents import Throughput, container_at, database_at, throughput
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from mcp_server.declarations.field import Field
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
    throughput_in_words,
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

Container = Annotated[str | None, Field(pattern=NAME, description="Omit to change the database's throughput")]


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
    """Set the throughput of a Cosmos DB database or container, manual or autoscale."""
    found, one, before = await _current(azure, account, database, container, subscription)
    return _NewThroughput(azure, found, one, before, _throughput_of(request_units, up_to)).change()


@dataclass(frozen=True, slots=True)
class _NewThroughput:
    """A database or container, and its throughput after the change."""

    azure: Azure
    account: CosmosAccount
    part: Piece
    before: Throughput
    after: Json

    def change(self) -> ResourceChange:
        before, after = throughput_in_words(self.before.record), throughput_in_words(self.after)
        return ResourceChange(
            self.azure,
            self._request,
            on=self.part.id,
            before=dict(self.before.document),
            looking=of_id("GET", self._place, version=ACCOUNT.version),
            judge=_is(after),
            call=look_call(self.part),
            shows=self._shown,
            sends=self._sent,
            answers={"path": self.part.path, "throughput": after},
            is_no_op=before == after,
        )

    async def _shown(self, known: Inspected) -> Preview:
        record = self.before.record
        return Preview(
            what=f"Throughput of {self.part.path} in {self.account.id.name}",
            sentence=f"Set the throughput of {self.part.path} in {self.account.id.name}",
            facts={
                **known.facts(self.part.id),
                "minimum": str(record.get("minimumThroughput") or ""),
                "instant maximum": str(record.get("instantMaximumThroughput") or ""),
                "api": self.account.api.name,
            },
            edits=[Edit("throughput", throughput_in_words(record), throughput_in_words(self.after))],
            effects=["Switches between manual and autoscale throughput first"] if self._switches else [],
            undo=self._undo,
            destroys=False,
            cost=await cost_in_words(self.azure, self._costs),
        )

    async def _sent(self, look: OutcomeCheck) -> AppliedChange:
        if self._switches:
            await _switch(self.azure, self.part, autoscale=self._is_autoscale)
        return await change(self.azure, self._request, look)

    @property
    def _place(self) -> ResourceId:
        return ResourceId((*self.part.id.segments, *_PLACE))

    @property
    def _request(self) -> AzureRequest:
        return of_id("PUT", self._place, body={"properties": {"resource": self.after}}, version=ACCOUNT.version)

    @property
    def _is_autoscale(self) -> bool:
        return "autoscaleSettings" in self.after

    @property
    def _switches(self) -> bool:
        return bool(self.before.highest) is not self._is_autoscale

    @property
    def _undo(self) -> Undo:
        owner, highest = self.part.database, self.before.highest
        return by_call(
            "set_cosmosdb_throughput",
            account=self.account.id.text,
            database=owner.name if owner else self.part.name,
            container=self.part.name if owner else None,
            request_units=None if highest else self.before.record.get("throughput"),
            up_to=highest or None,
        )

    @property
    def _costs(self) -> Sequence[CostChange]:
        """Return how the cost of manual throughput changes. Autoscale is billed by use, so its cost is not fixed."""
        regions = list(self.account.properties.get("locations") or ())
        before, after = self.before.record.get("throughput"), self.after.get("throughput")
        has_many_writers = self.account.properties.get("enableMultipleWriteLocations")
        is_simple = not self.before.highest and bool(regions) and not has_many_writers
        if not is_simple or not isinstance(before, int) or not isinstance(after, int):
            return []
        region, times = str(regions[0].get("locationName")), len(regions)
        prices = throughput_price(region, before * times), throughput_price(region, after * times)
        return [CostChange(f"throughput of {self.part.path}", *prices)]


async def _switch(azure: Azure, one: Piece, *, autoscale: bool) -> None:
    """Switch between manual and autoscale throughput.

    Cosmos DB requires a separate request for the switch, and then chooses the new throughput.
    """
    place = ResourceId((*one.id.segments, *_PLACE))
    action = "migrateToAutoscale" if autoscale else "migrateToManualThroughput"
    look = OutcomeCheck(
        of_id("GET", place, version=ACCOUNT.version), _has_switched(autoscale=autoscale), look_call(one)
    )
    done = await change(azure, of_id("POST", place, f"/{action}", version=ACCOUNT.version), look)
    if done.is_under_way:
        raise Refusal(f"{one.path} is still switching between manual and autoscale. Repeat the same call in a minute.")


def _is(words: str) -> Judge:
    def judge(found: Json | None) -> SeenOutcome:
        is_so = found is not None and throughput_in_words(at(found, "properties.resource") or {}) == words
        return SeenOutcome.DONE if is_so else SeenOutcome.NOT_DONE

    return judge


def _has_switched(*, autoscale: bool) -> Judge:
    def judge(found: Json | None) -> SeenOutcome:
        is_so = bool(at(found, "properties.resource.autoscaleSettings.maxThroughput")) is autoscale
        return SeenOutcome.DONE if found is not None and is_so else SeenOutcome.NOT_DONE

    return judge


def _throughput_of(request_units: int | None, up_to: int | None) -> Json:
    given = resource_of(request_units, up_to)
    if not given:
        raise Refusal("Pass `request_units` (manual) or `up_to` (autoscale).")
    return given


async def _current(
    azure: Azure, named: str, database: str, container: str | None, subscription: str | None
) -> tuple[CosmosAccount, Piece, Throughput]:
    found = await account_called(azure, named, subscription)
    if found.is_serverless:
        raise Refusal(f"{found.id.name} is serverless, so it has no throughput to set.")
    if not found.api.databases:
        raise Refusal(
            f"The {found.api.name} API has no databases. This tool cannot set the throughput of this account."
        )
    part = container_at(found, database, container) if container else database_at(found, database)
    one = await existing(azure, part, "container" if container else "database")
    now = await throughput(azure, one.id)
    if now is None:
        rest = (
            "The container uses its database's throughput."
            if container
            else "Each container of the database has its own throughput."
        )
        raise Refusal(f"{one.path} has no throughput of its own. {rest}")
    return found, one, now
