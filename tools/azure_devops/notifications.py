"""Lists notification subscriptions."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, shape
from tools.azure_devops.shared.parameters import Detail, MaxResults
from tools.azure_devops.shared.people import id_of

part = Part()

_SUBSCRIPTION: Final = shape(
    "id",
    "description",
    "status",
    "subscriber",
    event="filter.eventType",
    channel="channel.type",
    project="scope.name",
    changed="modifiedDate",
    link="_links.edit.href",
)


@part.tool(Access.READ)
async def list_subscriptions(
    devops: DevOps,
    targetId: Annotated[str | None, Field(description="Email, name or id; default: you")] = None,
    maxResults: MaxResults = 100,
    detail: Detail = "summary",
) -> Json:
    """List the notifications that a person or a group gets."""
    target = await id_of(devops, targetId) if targetId else None
    request = DevOpsRequest("GET /_apis/notification/subscriptions", query={"targetId": target})
    found = (await devops.json(request))["value"]
    return many(ListPage(found[:maxResults], len(found) > maxResults), _SUBSCRIPTION, detail)
