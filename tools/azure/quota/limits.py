"""Lists the limits of a subscription, and how much of each limit is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.quotas import Limit, limits_in
from clients.messages import ListPage
from clients.side_by_side import SourceReading, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.quota.quota_parameters import Regions, amount, namespace_of, places, subscription_meant
from tools.azure.shared.answers import Json, many
from tools.azure.shared.everywhere import answered_for_each
from tools.azure.shared.parameters import MaxResults, Subscription

part = Part()

_USUAL: Final = ["compute", "network", "storage"]

Providers = Annotated[
    list[Annotated[str, Field(pattern=r"^[A-Za-z0-9.]+$", max_length=100)]] | None,
    Field(min_length=1, max_length=10, description="compute, network, storage (default: all three), or a namespace"),
]
# Maps region names to the values of one limit in these regions.
ByRegion = Mapping[str, Limit]


@part.tool(Access.READ, harmless=("regions", "providers", "near", "subscription"))
async def list_quotas(
    azure: Arm,
    regions: Regions,
    providers: Providers = None,
    words: Annotated[
        str | None, Field(min_length=1, max_length=100, description="Part of the limit's name, such as DSv5")
    ] = None,
    near: Annotated[int, Field(ge=0, le=100, description="Minimum usage in percent")] = 0,
    subscription: Subscription = None,
    max_results: MaxResults = 30,
) -> Json:
    """List limits and usage by region, highest usage first. With `words`, the list includes unused limits.

    check_quota checks whether machines of a size fit.
    """
    where = places(regions)
    usual = providers or _USUAL

    async def limits_of(scope: ResourceId) -> Json:
        found, reading = await _limits(azure, scope, usual, where)
        meant = {key: limits for key, limits in found.items() if _matches(limits, words, near)}
        ordered = sorted(meant.items(), key=lambda entry: _nearest(entry[1]), reverse=True)
        items = [_entry(provider, limits, where) for (provider, _), limits in ordered[:max_results]]
        name = (await azure.subscription(scope.subscription)).name
        return many(ListPage(items, len(ordered) > max_results), of=name or scope.subscription, **reading.said("lists"))

    return await answered_for_each(azure, subscription, limits_of)


async def _limits(
    azure: Azure, scope: ResourceId, providers: Sequence[str], where: Sequence[str]
) -> tuple[dict[tuple[str, str], dict[str, Limit]], SourceReading]:
    one = await subscription_meant(azure, scope.subscription)
    pairs = {f"{provider} in {region}": (provider, region) for provider in providers for region in where}
    found: dict[tuple[str, str], dict[str, Limit]] = {}

    async def ask(pair: tuple[str, str]) -> None:
        provider, region = pair
        for limit in await limits_in(azure, one.id, namespace_of(provider), region):
            found.setdefault((provider, limit.name.lower()), {})[region] = limit

    reading = await side_by_side(pairs, ask)
    reading.refuse_if_none("lists")
    return found, reading


def _matches(limits: ByRegion, words: str | None, near: int) -> bool:
    if words:
        names = {text.lower() for one in limits.values() for text in (one.name, one.title)}
        if not any(words.strip().lower() in text for text in names):
            return False
    elif not any(one.used > 0 for one in limits.values()):
        return False
    return _nearest(limits) >= near


def _nearest(limits: ByRegion) -> float:
    return max(one.percent for one in limits.values())


def _entry(provider: str, limits: ByRegion, where: list[str]) -> Json:
    first = next(iter(limits.values()))
    return {
        "what": first.title,
        "provider": provider,
        "use": {region: _use(limits[region]) for region in where if region in limits},
    }


def _use(one: Limit) -> str:
    if one.limit < 0:
        return f"{amount(one.used)}, no limit"
    return f"{amount(one.used)} of {amount(one.limit)} ({one.percent:g} %)"
