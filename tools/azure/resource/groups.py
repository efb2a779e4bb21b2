"""Resource groups."""

from __future__ import annotations

from typing import Final

from clients.azure.failures import ServiceRefusal
from clients.azure.messages import Request, of_id
from mcp_server.declarations.toolset import Access, Part
from tools.azure.provider import Arm
from tools.azure.resource.places import VERSION, scope_of
from tools.azure.resource.tags_and_locks import TagText, tag_filter
from tools.azure.shared.answers import Json, answer, many, shape
from tools.azure.shared.parameters import MaxResults, ResourceGroup, Subscription

part = Part()

_GROUP: Final = shape("name", "location", "tags", "managedBy", state="properties.provisioningState")


@part.tool(Access.READ)
async def list_resource_groups(
    azure: Arm, subscription: Subscription = None, tag: TagText = None, max_results: MaxResults = 200
) -> Json:
    """List the resource groups of a subscription, with place and tags. Not clear which? Ask the user."""
    place = await azure.subscription(subscription)
    request = Request(
        "GET /subscriptions/{subscription}/resourcegroups",
        {"subscription": place.id},
        tag_filter(tag),
        version=VERSION,
    )
    return many(await azure.page(request, max_results), _GROUP, subscription=place.name)


@part.tool(Access.READ)
async def show_resource_group(azure: Arm, resource_group: ResourceGroup, subscription: Subscription = None) -> Json:
    """Show a resource group: place, state, tags. list_resources shows what is in it."""
    place = scope_of(await azure.subscription(subscription), resource_group)
    found = await azure.json(of_id("GET", place, version=VERSION))
    return answer(id=found.get("id"), **_GROUP(found))


@part.tool(Access.READ)
async def exists_resource_group(
    azure: Arm,
    resource_group: ResourceGroup,
    subscription: Subscription = None,
) -> Json:
    """Check whether a resource group exists."""
    where = await azure.subscription(subscription)
    try:
        await azure.send(of_id("HEAD", scope_of(where, resource_group), version=VERSION))
    except ServiceRefusal as refusal:
        if refusal.status != 404:
            raise
        return answer(exists=False, subscription=where.name)
    return answer(exists=True, subscription=where.name)
