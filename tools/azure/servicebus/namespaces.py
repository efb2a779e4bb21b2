"""Shows Service Bus namespaces and their contents."""

from __future__ import annotations

from typing import Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.servicebus.entities import NAMESPACE, Folder, entities, folders_of, namespace_called
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.servicebus.entity_parameters import OF_NAMESPACE, NamespaceName, counted, summary
from tools.azure.shared.answers import Json, answer, at, shape
from tools.azure.shared.everywhere import listed, of_sort
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

_NAMESPACE: Final = shape("name", "id", "location", sku="sku.name", status="properties.status")
_DETAILS: Final = shape(
    "name",
    "id",
    "location",
    "tags",
    sku="sku.name",
    units="sku.capacity",
    status="properties.status",
    state="properties.provisioningState",
    endpoint="properties.serviceBusEndpoint",
    public_network_access="properties.publicNetworkAccess",
    minimum_tls="properties.minimumTlsVersion",
    zone_redundant="properties.zoneRedundant",
    partitions="properties.premiumMessagingPartitions",
    replicas="properties.geoDataReplication.locations",
    pairing="properties.alternateName",
    identity="identity.type",
    errors="properties.errors",
)


@part.tool(Access.READ, harmless=("resource_group", "subscription"))
async def list_servicebus_namespaces(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List Service Bus namespaces."""
    return await listed(
        azure,
        subscription,
        of_sort(azure, NAMESPACE, max_results),
        max_results,
        _NAMESPACE,
        group=resource_group,
    )


@part.tool(Access.READ, harmless=OF_NAMESPACE)
async def show_servicebus_namespace(
    azure: Arm, namespace: NamespaceName, subscription: Subscription = None, max_results: MaxResults = 100
) -> Json:
    """Show a Service Bus namespace, and list its queues and topics with message counts."""
    record = await namespace_called(azure, namespace, subscription)
    place = ResourceId.of(str(record.get("id")))
    inside = [await _entities_in(azure, place, folder, max_results) for folder in folders_of(record)]
    found: Json = {}
    for one in inside:
        found |= one
    return answer(**_DETAILS(record), keys_allowed=not at(record, "properties.disableLocalAuth"), **found)


async def _entities_in(azure: Azure, place: ResourceId, folder: Folder, limit: int) -> Json:
    page = await entities(azure, place, folder, limit)
    found, reading = await counted(azure, page.items) if folder == "queues" else (page.items, None)
    more = "raise max_results" if page.has_more else None
    not_counted = reading.said(folder).get("notRead") if reading else None
    return {folder: [summary(one) for one in found], f"more_{folder}": more, f"{folder}_not_counted": not_counted}
