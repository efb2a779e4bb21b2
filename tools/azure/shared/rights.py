"""Code shared by the tools that show rights: scopes, and descriptions of permissions and eligible roles."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Annotated, Any, Final

from clients.answers import Json, at, present
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.named import group_called, place_called
from clients.azure.permissions import Permissions
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from refusal import Refusal

HERE: Final = "/providers/Microsoft.Authorization"
VERSION: Final = "2022-04-01"
ELIGIBILITY_VERSION: Final = "2020-10-01"
_MOST_PATTERNS: Final = 30
_NOTHING: Final = ListPage([])

AnyResource = Annotated[str | None, Field(max_length=2048, description="Its id, /subscriptions/...")]


async def scope_of(azure: Azure, resource: str | None, group: str | None, subscription: str | None) -> ResourceId:
    """Return the scope that a caller means: the resource, if one is given, otherwise the group, otherwise the
    subscription.
    """
    if resource:
        return await place_called(azure, resource, subscription)
    if group:
        return await group_called(azure, group, subscription)
    return ResourceId.of_subscription((await azure.subscription(subscription)).id)


def in_words(permissions: Permissions) -> Json:
    """Summarize what a set of permissions allows."""
    is_partial = "some" in {permissions.reading, permissions.changing}
    return {
        "read": permissions.reading,
        "change": permissions.changing,
        "grant_roles": permissions.is_granting,
        "only": first_of(permissions.actions) if is_partial else None,
        "but_not": first_of(permissions.left_out),
        "data": first_of(permissions.data_actions) or "none",
        "data_but_not": first_of(permissions.data_left_out),
    }


def first_of(patterns: Sequence[str], most: int = _MOST_PATTERNS) -> list[str]:
    more = len(patterns) - most
    return [*patterns[:most], *([f"and {more} more"] if more > 0 else [])]


def eligibility(instance: Mapping[str, Any]) -> Json:
    """Describe a role that must be activated before use."""
    role = at(instance, "properties.expandedProperties.roleDefinition.displayName")
    return present(
        {
            "role": role or at(instance, "properties.roleDefinitionId"),
            "scope": at(instance, "properties.scope"),
            "until": at(instance, "properties.endDateTime"),
        }
    )


async def if_permitted(reading: Awaitable[ListPage]) -> tuple[ListPage, str]:
    """Return a list and an empty reason.

    If the list is not readable, return an empty list and the reason, so that the rest of the answer still works.
    """
    try:
        return await reading, ""
    except Refusal as refusal:
        return _NOTHING, why(refusal)


def why(refusal: Refusal) -> str:
    return str(refusal).partition(". ")[0].rstrip(".") + "."
