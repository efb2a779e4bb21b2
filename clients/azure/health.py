"""Reads Resource Health and Service Health."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage, of_id

VERSION: Final = "2024-02-01"
_STATES: Final = "/providers/Microsoft.ResourceHealth/availabilityStatuses"
_EVENTS: Final = "/subscriptions/{subscription}/providers/Microsoft.ResourceHealth/events"


async def state_now(azure: Azure, resource: ResourceId) -> Mapping[str, Any]:
    """Whether a resource is available.

    If the resource is not available, the result also contains the reason and recommended actions.
    """
    query = {"$expand": "recommendedactions"}
    return await azure.json(of_id("GET", resource, f"{_STATES}/current", query=query, version=VERSION))


async def states_lately(azure: Azure, resource: ResourceId, limit: int) -> ListPage:
    """The states of a resource in the last weeks, newest first."""
    return await azure.page(of_id("GET", resource, _STATES, version=VERSION), limit)


async def events_of(azure: Azure, resource: ResourceId, limit: int) -> ListPage:
    """The service events that affect a resource now."""
    path = "/providers/Microsoft.ResourceHealth/events"
    return await azure.page(of_id("GET", resource, path, version=VERSION), limit)


async def service_events(azure: Azure, subscription: str, since: datetime, limit: int, kind: str = "") -> ListPage:
    """The service events that affect a subscription: all events, or only events of one kind, such as
    `PlannedMaintenance`.
    """
    day = since.astimezone(UTC)
    test = {"$filter": f"eventType eq '{kind}'"} if kind else {}
    query = {**test, "queryStartTime": f"{day.month}/{day.day}/{day.year}"}
    return await azure.page(
        AzureRequest(f"GET {_EVENTS}", {"subscription": subscription}, query, version=VERSION), limit
    )


async def service_event(azure: Azure, subscription: str, tracking: str) -> Mapping[str, Any]:
    """The details of a service event."""
    values = {"subscription": subscription, "tracking": tracking}
    return await azure.json(AzureRequest(f"GET {_EVENTS}/{{tracking}}", values, version=VERSION))


async def impacted_resources(azure: Azure, subscription: str, tracking: str, limit: int) -> ListPage:
    """The resources that a service event affects in a subscription, if Azure reports these resources."""
    line = f"GET {_EVENTS}/{{tracking}}/impactedResources"
    return await azure.page(
        AzureRequest(line, {"subscription": subscription, "tracking": tracking}, version=VERSION), limit
    )
