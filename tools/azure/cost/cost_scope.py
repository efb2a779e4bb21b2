"""Code that the cost tools share: parameters, scopes, and the formatting of amounts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.cost.questions import Grouping, Only
from clients.azure.cost.reading import Costs, Sums, TooManyRowsError
from clients.azure.ids import ResourceId
from clients.azure.named import place_called
from clients.azure.times import moment
from clients.side_by_side import SourceReading, side_by_side
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.scopes import scopes_of

SECONDS: Final = 50.0
MOST_DAYS: Final = 366
NOBODYS: Final = "(none)"
_NOT_FOLLOWED: Final = "Daily costs could not be read. Try again in a minute."
_TOO_LONG: Final = (
    "Daily costs are left out, because there are too many rows. Pass a later `since`, or filter by `service` or"
    " `resource_group`."
)
LAGS: Final = "Azure's cost data lags by up to two days."

By = Literal["service", "resource_group", "resource", "resource_type", "location", "meter", "tag"]
ByAny = Literal["service", "resource_group", "resource", "resource_type", "location", "meter", "tag", "subscription"]
GROUPINGS: Final[Mapping[str, str]] = {
    "service": "ServiceName",
    "resource_group": "ResourceGroupName",
    "resource": "ResourceId",
    "resource_type": "ResourceType",
    "location": "ResourceLocation",
    "meter": "Meter",
}

Amortized = Annotated[bool, Field(description="Spread reservations over their term")]
Service = Annotated[str | None, Field(min_length=1, max_length=200, description="Only this")]
Tag = Annotated[
    str | None,
    Field(min_length=1, max_length=800, description="Tag name for by=tag; name=value to filter"),
]
AnyResourceId = Annotated[str | None, Field(min_length=1, max_length=2048, description="Id or name")]


@dataclass(frozen=True, slots=True)
class CostScope:
    """The scopes whose costs are queried, and the filters for these costs."""

    scopes: Mapping[str, ResourceId]
    only: tuple[Only, ...] = ()

    @property
    def names(self) -> str:
        return ", ".join(self.scopes)

    def within(self, names: Iterable[str]) -> CostScope:
        """Return a copy that is limited to the scopes with these names and keeps the filters."""
        return replace(self, scopes={name: self.scopes[name] for name in names})


async def asked_of(
    azure: Azure,
    subscription: str | Sequence[str] | None,
    group: str | None,
    resource_id: str | None,
    only: Sequence[Only],
) -> CostScope:
    """Build the cost scope from a tool's parameters. In a filter, the resource id is lowercase, as Azure requires."""
    if not resource_id:
        return CostScope(await scopes_of(azure, subscription, group), tuple(only))
    resource = await place_called(azure, resource_id)
    if not resource.group:
        raise Refusal("`resource_id` must be the id of a resource in a resource group.")
    scope = ResourceId(resource.segments[:4])
    return CostScope({resource.name: scope}, (Only("dimensions", "ResourceId", (resource.text.lower(),)), *only))


def grouping(by: str, tag: str | None) -> Grouping:
    if by != "tag":
        return Grouping("Dimension", GROUPINGS[by])
    name = (tag or "").partition("=")[0].strip()
    if not name:
        raise Refusal("by=tag requires a tag name in `tag`, for example tag=team. Use list_azure_tags to list tags.")
    return Grouping("TagKey", name)


def narrowing(service: str | None, tag: str | None) -> list[Only]:
    """Build the filters for a service and for the value of a tag."""
    name, has_value, value = (tag or "").partition("=")
    by_tag = [Only("tags", name.strip(), (value.strip(),))] if has_value else []
    return [*([Only("dimensions", GROUPINGS["service"], (service,))] if service else []), *by_tag]


Read = Callable[[ResourceId], Awaitable[Costs]]


async def of_each(asked: CostScope, read: Read) -> tuple[Mapping[str, Costs], SourceReading]:
    """Read the costs of each scope.

    Raises:
        Refusal: None of the scopes' costs could be read.
    """
    found, reading = await _read(asked, read)
    reading.refuse_if_none("scopes")
    return found, reading


async def of_all(asked: CostScope, read: Read) -> Mapping[str, Costs]:
    """Read the costs of all scopes.

    If the costs of a scope cannot be read, raise an error, because incomplete costs would look complete.

    Raises:
        NotAllReadError: The costs of a scope could not be read, or have too many rows.
    """
    found, reading = await _read(asked, read)
    if len(found) < len(asked.scopes):
        raise NotAllReadError(is_limit=any(isinstance(one, TooManyRowsError) for one in reading.failed.values()))
    return found


class NotAllReadError(Refusal):
    """Not all costs of a scope could be read. The message, which is about daily costs, says why."""

    def __init__(self, *, is_limit: bool) -> None:
        super().__init__(_TOO_LONG if is_limit else _NOT_FOLLOWED)
        self.is_limit = is_limit


async def _read(asked: CostScope, read: Read) -> tuple[Mapping[str, Costs], SourceReading]:
    found: dict[str, Costs] = {}

    async def ask(name: str) -> None:
        found[name] = await read(asked.scopes[name])

    # Azure limits the rate of cost queries, so each query may take the whole time limit, and is not retried.
    reading = await side_by_side({name: name for name in asked.scopes}, ask, seconds=SECONDS, seconds_each=SECONDS)
    return {name: found[name] for name in asked.scopes if name in found}, reading


def together(found: Mapping[str, Costs]) -> Costs:
    return sum(found.values(), Costs([]))


def said(reading: SourceReading) -> Json:
    """Return the scopes that could not be read. The sums do not include the costs of these scopes."""
    return reading.said("scopes") if len(reading.names) > 1 else {}


def day(name: str, text: str) -> date:
    return date.fromisoformat(moment(name, text)[:10])


def today() -> date:
    return datetime.now(UTC).date()


def between(since: str | None, until: str | None, *, most: int = MOST_DAYS) -> tuple[date, date]:
    """Return the first and last day of a period. By default, the period is the current month up to today."""
    last = day("until", until) if until else today()
    first = day("since", since) if since else last.replace(day=1)
    if first > last:
        raise Refusal(f"`since` ({first}) must not be later than `until` ({last}).")
    if last - first >= timedelta(days=most):
        length = (last - first).days + 1
        raise Refusal(
            f"The period must be at most {most} days, not {length}. Shorten the period, or ask for less detail."
        )
    return first, last


def money(amount: Decimal) -> float:
    """Round an amount to cents."""
    return float(in_cents(amount))


def in_cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def left_over(totals: Sums, shown: Iterable[tuple[str, Decimal]]) -> Sums:
    """Return the totals minus the shown amounts.

    All amounts are rounded first, so that they add up to the rounded totals.
    """
    left = {currency: in_cents(amount) for currency, amount in totals.items()}
    for currency, amount in shown:
        left[currency] = left.get(currency, Decimal(0)) - in_cents(amount)
    return {currency: amount for currency, amount in left.items() if amount}


def sums_in_words(sums: Sums, currency: str | None) -> Any:
    """Return a single amount if there is only one currency. Otherwise, return one amount for each currency."""
    if currency is not None or not sums:
        return money(sums.get(currency or "", Decimal(0)))
    return {name: money(amount) for name, amount in sorted(sums.items())}


def currency_of(*all_sums: Sums) -> str | None:
    """Return the currency that all amounts share, or None if the amounts have different currencies."""
    found = {currency for sums in all_sums for currency in sums}
    return next(iter(found)) if len(found) == 1 else None


def headed(asked: CostScope, found: Costs, *, is_amortized: bool, currency: str | None, **times: str) -> Json:
    """Build the start of an answer: scopes, period, kind of costs, and the time of Azure's data."""
    kind = "amortized" if is_amortized else "actual"
    as_of = found.read.isoformat(timespec="minutes").replace("+00:00", "Z")
    return answer(of=asked.names, **times, kind=kind, currency=currency, as_of=as_of)
