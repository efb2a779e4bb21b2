"""Lists and shows resource groups."""

from __future__ import annotations

from typing import Final

from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import group_called
from clients.azure.resource_scopes import VERSION
from clients.messages import ListPage
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.resource.tags_and_locks import TagText, tag_filter
from tools.azure.shared.answers import Json, answer, shape
from tools.azure.shared.everywhere import in_each, listed
from tools.azure.shared.parameters import MaxResults, ResourceGroup, Subscription

part = Part()

_GROUP: Final = shape("name", "location", "tags", "managedBy", state="properties.provisioningState")


@part.tool(Access.READ)
async def list_resource_groups(
    azure: Arm, subscription: Subscription = None, tag: TagText = None, max_results: MaxResults = 200
) -> Json:
    """List the resource groups of a subscription, with location and tags.

    If the subscription is unclear, ask the user.
    """
    query = tag_filter(tag)

    async def read(scope: ResourceId) -> ListPage:
        return await azure.page(of_id("GET", scope, "/resourcegroups", query=query, version=VERSION), max_results)

    return await listed(azure, subscription, read, max_results, _GROUP)


@part.tool(Access.READ)
async def show_resource_group(azure: Arm, resource_group: ResourceGroup, subscription: Subscription = None) -> Json:
    """Show a resource group: location, state, tags. list_resources shows its resources."""
    place = await group_called(azure, resource_group, subscription)
    found = await azure.json(of_id("GET", place, version=VERSION))
    return answer(id=found.get("id"), **_GROUP(found))


@part.tool(Access.READ)
async def exists_resource_group(
    azure: Arm,
    resource_group: ResourceGroup,
    subscription: Subscription = None,
) -> Json:
    """Check whether a resource group exists."""
    holders: list[str] = []

    async def look(scope: ResourceId) -> ListPage:
        place = ResourceId.of(f"{scope.text}/resourceGroups/{resource_group}")
        try:
            await azure.send(of_id("HEAD", place, version=VERSION))
        except AzureRefusal as refusal:
            if refusal.status != 404:
                raise
        else:
            holders.append(scope.subscription)
        return ListPage([])

    found = await in_each(azure, subscription, look, 1)
    names = {one.id: one.name for one in await azure.subscriptions()}
    return answer(exists=bool(holders), subscription=", ".join(names.get(one, one) for one in holders), **found.said)
