"""Reads resources from Resource Manager when Resource Graph fails."""

from __future__ import annotations

from typing import Final

from clients.azure.client import Azure, Subscription
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.resource_scopes import VERSION, quoted
from clients.folding import folded
from clients.side_by_side import side_by_side
from incidents.resources import IncidentResource

_LISTED: Final = "GET /subscriptions/{subscription}/resources"
_LISTED_IN_GROUP: Final = "GET /subscriptions/{subscription}/resourceGroups/{group}/resources"
_GROUPS: Final = "GET /subscriptions/{subscription}/resourcegroups"
_MOST: Final = 300
_SECONDS: Final = 10.0


async def read(azure: Azure, place: ResourceId) -> IncidentResource:
    """Read the current state of a resource. If Azure does not return the resource, the result contains only the
    resource ID.
    """
    try:
        return IncidentResource.of(await azure.json(of_id("GET", place))) or IncidentResource.unread(place)
    except AzureRefusal:
        return IncidentResource.unread(place)


async def named(azure: Azure, asked: list[Subscription], name: str) -> list[IncidentResource]:
    """Find resources and groups with this name in these subscriptions."""
    found: list[IncidentResource] = []

    async def ask(subscription: Subscription) -> None:
        values, own = {"subscription": subscription.id}, {"$filter": f"name eq {quoted(name)}"}
        resources = await azure.page(AzureRequest(_LISTED, values, own, version=VERSION), _MOST)
        groups = await azure.page(AzureRequest(_GROUPS, values, version=VERSION), _MOST)
        alike = [one for one in groups.items if folded(str(one.get("name"))) == folded(name)]
        found.extend(filter(None, map(IncidentResource.of, [*resources.items, *alike])))

    reading = await side_by_side({one.name: one for one in asked}, ask, seconds=_SECONDS)
    reading.refuse_if_none("subscriptions")
    return found


async def in_group(azure: Azure, group: ResourceId) -> list[IncidentResource]:
    """Read the resources of a group, without their settings."""
    values = {"subscription": group.subscription, "group": group.group}
    page = await azure.page(AzureRequest(_LISTED_IN_GROUP, values, version=VERSION), _MOST)
    return [one for record in page.items if (one := IncidentResource.of(record))]
