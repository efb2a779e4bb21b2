"""Shared code of the policy tools: scopes, and the names of policies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.policies import record_of
from clients.messages import ListPage, combined
from clients.side_by_side import SourceReading, side_by_side
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.shared.answers import at
from tools.azure.shared.scopes import scopes_of

_MOST_NAMES: Final = 60
_SECONDS_FOR_NAMES: Final = 15.0
_LONGEST: Final = 300

AnyResourceId = Annotated[str | None, Field(min_length=1, max_length=2048, description="Only this resource (id)")]
Words = Annotated[str | None, Field(min_length=1, max_length=200, description="Part of the policy name")]

# Maps the lowercase id of each policy definition or assignment to its record.
Records = Mapping[str, Mapping[str, Any]]


async def places(
    azure: Azure, subscription: str | Sequence[str] | None, group: str | None, resource_id: str | None
) -> Mapping[str, ResourceId]:
    if not resource_id:
        return await scopes_of(azure, subscription, group)
    resource = ResourceId.of(resource_id)
    return {resource.name: resource}


async def pages(
    scopes: Mapping[str, ResourceId], read: Callable[[ResourceId], Awaitable[ListPage]]
) -> tuple[ListPage, SourceReading]:
    """Read a list in each scope, and combine these lists into one."""
    found: dict[str, ListPage] = {}

    async def ask(name: str) -> None:
        found[name] = await read(scopes[name])

    reading = await side_by_side({name: name for name in scopes}, ask, seconds_each=30)
    reading.refuse_if_none("scopes")
    return combined(found[name] for name in scopes if name in found), reading


async def records(azure: Azure, ids: Iterable[str]) -> Records:
    """Read the definitions and assignments with these ids. Omit those that are deleted or cannot be read."""
    places_of = {place.key: place for place in map(_place, dict.fromkeys(ids)) if place}
    found: dict[str, Mapping[str, Any]] = {}

    async def ask(place: ResourceId) -> None:
        found[place.key] = await record_of(azure, place)

    wanted = dict(list(places_of.items())[:_MOST_NAMES])
    await side_by_side(wanted, ask, seconds=_SECONDS_FOR_NAMES, seconds_each=_SECONDS_FOR_NAMES)
    return found


def title(found: Records, place: str) -> str:
    """Return the name of a policy or an assignment. If the name is unreadable, return the last part of the id."""
    named = str(at(found.get(place.lower().rstrip("/")), "properties.displayName") or "")
    return (named or place.rstrip("/").rpartition("/")[2])[:_LONGEST]


def said(reading: SourceReading) -> dict[str, Any]:
    return reading.said("scopes") if len(reading.names) > 1 else {}


def _place(text: str) -> ResourceId | None:
    try:
        return ResourceId.of(text)
    except Refusal:
        return None  # this id is not a valid resource id, so its name cannot be read
