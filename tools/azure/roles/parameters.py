"""Shared parameters of the role tools: scope and action."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.named import place_called
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.shared.answers import Json
from tools.azure.shared.everywhere import answered_for_each
from tools.azure.shared.rights import scope_of

ROOT: Final = "/"
_ACTION: Final = r"^[A-Za-z0-9.]+(/[A-Za-z0-9.*_-]+)+$"

AnyPlace = Annotated[str | None, Field(max_length=2048, description="Id or full name of a resource, or another scope")]
AnyAction = Annotated[
    str | None, Field(max_length=300, pattern=_ACTION, description="Example: Microsoft.Web/sites/delete")
]
# Parameters whose values may appear in audit records.
OF_PLACE: Final = ("resource", "resource_group", "subscription")


async def asked_place(azure: Azure, resource: str | None, group: str | None, subscription: str | None) -> ResourceId:
    """Return the requested scope. The resource can be an ID or a name."""
    if resource and (group or not resource.startswith("/")):
        if group:
            raise Refusal("Pass either a resource or a group, not both.")
        return await place_called(azure, resource)
    return await scope_of(azure, resource, group, subscription)


async def at_each_place(azure: Azure, place: AskedPlace, answer_for: Callable[[ResourceId], Awaitable[Json]]) -> Json:
    """Return the answer for the given resource. Without a resource, return an answer for each group with the given
    name, or for each subscription.
    """
    if place.resource:
        return await answer_for(await asked_place(azure, place.resource, place.group, place.subscription))
    return await answered_for_each(azure, place.subscription, answer_for, group=place.group)


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """The scope as the caller specifies it."""

    resource: str | None
    group: str | None
    subscription: str | None


def holds_at(scope: ResourceId, assigned: str) -> bool:
    """Check whether an assignment was made at a scope or above it, and therefore applies to this scope."""
    above = assigned.strip().rstrip("/").lower()
    is_of_management = above.startswith("/providers/microsoft.management/")
    return not above or is_of_management or f"{scope.key}/".startswith(f"{above}/")
