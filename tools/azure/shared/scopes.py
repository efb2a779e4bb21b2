"""Finds the scopes of queries: whole subscriptions, or only those resource groups that the settings allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from clients.azure.client import Azure, Subscription
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.resource_scopes import VERSION, names_of, scope_of
from mcp_server.declarations.field import Field
from refusal import Refusal

_MOST_GROUPS: Final = 500

_LEVELS: Final = {
    "subscriptions": "subscription ",
    "resourcegroups": "group ",
    "managementgroups": "management group ",
}

SomeSubscriptions = Annotated[
    str | Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)] | None,
    Field(description="Names or ids"),
]


async def scopes_of(azure: Azure, named: str | Sequence[str] | None, group: str | None) -> Mapping[str, ResourceId]:
    """Return the requested scopes by name. By default, return all scopes in subscriptions that the caller can see."""
    asked = await azure.asked_subscriptions(named)
    found: dict[str, ResourceId] = {}
    for one in asked:
        for scope in await _scopes(azure, one, group):
            within = [one.name or one.id] if len(asked) > 1 or not scope.group else []
            found["/".join([*within, *filter(None, [scope.group])])] = scope
    if not found:
        raise Refusal(f"No resource group in {names_of(asked)} is in the allowed scope.")
    return found


async def whole(azure: Azure, named: str | None, what: str) -> Subscription:
    """Return the requested subscription. This function is used for data that exists only for whole subscriptions.

    Raises:
        Refusal: The settings allow only some resource groups of the subscription.
    """
    one = await azure.subscription(named)
    if not await azure.reaches_all_of(one.id):
        raise Refusal(
            f"{what} exist only for whole subscriptions, but only some resource groups of this subscription are in"
            " the allowed scope."
        )
    return one


async def _scopes(azure: Azure, subscription: Subscription, group: str | None) -> Sequence[ResourceId]:
    if group or await azure.reaches_all_of(subscription.id):
        return [scope_of(subscription, group)]
    request = of_id("GET", scope_of(subscription, None), "/resourcegroups", version=VERSION)
    groups = await azure.page(request, _MOST_GROUPS)
    return [scope_of(subscription, str(one["name"])) for one in groups.items if one.get("name")]


def short_scope(place: str) -> str:
    """Return the short name of a scope: the last part of its id, with a label for groups and subscriptions."""
    *before, last = place.strip("/").split("/")
    return _LEVELS.get(before[-1].lower() if before else "", "") + last
