"""Checks whether the remaining quota of regions is sufficient for virtual machines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.quotas import Limit, MachineSize, limits_in, sizes_in
from clients.side_by_side import SourceReading, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.quota.quota_parameters import Regions, amount, places, subscription_meant
from tools.azure.shared.answers import Json, every, present
from tools.azure.shared.everywhere import answered_for_each
from tools.azure.shared.parameters import Subscription

part = Part()

_COMPUTE: Final = "Microsoft.Compute"
_ALL_CORES: Final = "cores"
_SPOT_CORES: Final = "lowprioritycores"
_MACHINES: Final = "virtualmachines"
_WITHOUT_MEANING: Final = re.compile(r"standard|basic|family|vcpus|cores|[^a-z0-9]")
_MOST_NAMES: Final = 10
_NOTE: Final = (
    "A quota does not guarantee capacity: Azure may not have enough machines. list_quotas shows other limits."
)

Size_ = Annotated[str | None, Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=80, description="Example: Standard_D4s_v5")]
Family = Annotated[str | None, Field(min_length=2, max_length=80, description="Example: DSv5, with `cores`")]


@dataclass(frozen=True, slots=True)
class RequestedCores:
    """The cores that a request needs, and their machine family. `machines` is 0 if the request names no size."""

    cores: int
    family: str
    machines: int = 0
    is_spot: bool = False


@part.tool(Access.READ, harmless=("regions", "size", "count", "family", "cores", "spot", "subscription"))
async def check_quota(
    azure: Arm,
    regions: Regions,
    size: Size_ = None,
    count: Annotated[int, Field(ge=1, le=100_000, description="Number of machines of this size")] = 1,
    family: Family = None,
    cores: Annotated[int | None, Field(ge=1, le=1_000_000, description="Number of cores of the family")] = None,
    spot: Annotated[bool, Field(description="Spot machines (separate limit)")] = False,
    subscription: Subscription = None,
) -> Json:
    """Check whether machines fit into the quota of each region. Pass `size` and `count`, or `family` and `cores`."""
    if (size is None) == (family is None) or (family is None) != (cores is None):
        raise Refusal("Pass `size` with `count`, or `family` with `cores`.")
    where = places(regions)

    async def look(scope: ResourceId) -> Json:
        verdicts, reading = await _in_regions(azure, scope, where, _Question(size, count, family, cores, spot))
        answers = sorted(verdicts, key=lambda one: not one["fits"])
        said = reading.said("regions") if len(where) > 1 else {}
        name = (await azure.subscription(scope.subscription)).name
        return every(answers, of=name or scope.subscription, **said, note=_NOTE)

    return await answered_for_each(azure, subscription, look)


@dataclass(frozen=True, slots=True)
class _Question:
    """What the caller asks for: a number of machines of one size, or a number of cores of one family."""

    size: str | None
    count: int
    family: str | None
    cores: int | None
    spot: bool


async def _in_regions(
    azure: Azure, scope: ResourceId, where: Sequence[str], asked: _Question
) -> tuple[list[Json], SourceReading]:
    one = await subscription_meant(azure, scope.subscription)
    found: dict[str, Json] = {}

    async def ask(region: str) -> None:
        limits = {limit.name.lower(): limit for limit in await limits_in(azure, one.id, _COMPUTE, region)}
        wanted, offered = await _demand(azure, one.id, region, asked.size, asked.count, spot=asked.spot)
        if wanted is None and asked.cores is not None and asked.family is not None:
            wanted = RequestedCores(asked.cores, _family(asked.family, limits).name, is_spot=asked.spot)
        found[region] = {"region": region, **_verdict(wanted, limits, offered)}

    reading = await side_by_side({region: region for region in where}, ask)
    reading.refuse_if_none("regions")
    return [found[region] for region in where if region in found], reading


async def _demand(
    azure: Azure, subscription: str, region: str, size: str | None, count: int, *, spot: bool
) -> tuple[RequestedCores | None, MachineSize | None]:
    """Return the number of cores that `count` machines of this size require, and the region's description of this size.

    Both results are None if no size is given, or if the region does not offer the size.
    """
    if size is None:
        return None, None
    sizes = await sizes_in(azure, subscription, region)
    named = size.lower() if size.lower().startswith(("standard_", "basic_")) else f"standard_{size.lower()}"
    offered = sizes.get(named)
    return (RequestedCores(offered.cores * count, offered.family, count, spot) if offered else None), offered


def _verdict(wanted: RequestedCores | None, limits: Mapping[str, Limit], offered: MachineSize | None) -> Json:
    if wanted is None:
        return {"fits": False, "why": ["This region does not offer this size."]}
    closed = offered is not None and offered.is_closed
    why = [
        *(["Azure does not offer this size to the subscription in this region."] if closed else []),
        *_lacks(wanted, limits),
    ]
    return {
        "fits": not why,
        "cores": wanted.cores,
        **present(
            {"why": why, "zones": _zones(offered), "closed_zones": list(offered.closed_zones) if offered else []}
        ),
        "left": {limit.title: amount(limit.left) for limit, _ in _needed(wanted, limits)},
    }


def _zones(offered: MachineSize | None) -> list[str]:
    return [zone for zone in offered.zones if zone not in offered.closed_zones] if offered else []


def _lacks(wanted: RequestedCores, limits: Mapping[str, Limit]) -> Iterator[str]:
    """Yield a sentence for each limit that is too low."""
    for limit, needed in _needed(wanted, limits):
        if 0 <= limit.limit < limit.used + needed:
            used, most = amount(limit.used), amount(limit.limit)
            yield f"{limit.title}: {needed} more needed, {used} of {most} used."
    if not wanted.is_spot and wanted.family.lower() not in limits:
        yield f"The subscription has no quota for the family {wanted.family} in this region."


def _needed(wanted: RequestedCores, limits: Mapping[str, Limit]) -> Sequence[tuple[Limit, int]]:
    """Return each limit that applies to the machines, and how much of the limit they require."""
    names = [_SPOT_CORES] if wanted.is_spot else [wanted.family.lower(), _ALL_CORES]
    needed = [(name, wanted.cores) for name in names]
    machines = [(_MACHINES, wanted.machines)] if wanted.machines else []
    return [(limits[name], number) for name, number in (*needed, *machines) if name in limits]


def _family(text: str, limits: Mapping[str, Limit]) -> Limit:
    """Find the machine family that the caller means. Few callers spell the name of a family as Azure does.

    Raises:
        Refusal: Several families match, or no family does.
    """
    families = [one for name, one in limits.items() if name.endswith("family")]
    wanted = _plain(text)
    same = [one for one in families if wanted in {_plain(one.name), _plain(one.title)}]
    like = same or [one for one in families if wanted and wanted in _plain(one.name)]
    if len(like) == 1:
        return like[0]
    names = ", ".join(one.name for one in (like or families)[:_MOST_NAMES])
    raise Refusal(
        f"{'Several families match' if like else 'No family matches'} {text!r} in this region. Pass one of: {names}."
    )


def _plain(text: Any) -> str:
    return _WITHOUT_MEANING.sub("", str(text).lower())
