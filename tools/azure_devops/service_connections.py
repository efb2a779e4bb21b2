"""Lists service connections, which pipelines use to access other services. The credentials of the connections are never
shown.
"""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, one, shape
from tools.azure_devops.shared.parameters import MaxResults, Project
from tools.azure_devops.shared.withheld import without_secrets

part = Part()

_CONNECTION: Final = shape(
    "id",
    "name",
    "type",
    "url",
    "description",
    scheme="authorization.scheme",
    ready="isReady",
    shared="isShared",
    by="createdBy",
    subscription="data.subscriptionName",
    subscriptionId="data.subscriptionId",
)


@part.tool(Access.READ, harmless=("project", "type"))
async def list_service_connections(
    devops: DevOps,
    project: Project = None,
    type: Annotated[str | None, Field(description="Such as azurerm, github")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List service connections."""
    place, query = {"project": devops.project(project)}, {"type": type, "includeFailed": True}
    found = await devops.json(DevOpsRequest("GET /{project}/_apis/serviceendpoint/endpoints", place, query))
    entries = without_secrets(found["value"])
    return many(ListPage(entries[:maxResults], len(entries) > maxResults), _CONNECTION)


@part.tool(Access.READ, harmless=("project", "connectionId"))
async def get_service_connection(
    devops: DevOps,
    connectionId: Annotated[str, Field(min_length=1, description="Connection id")],
    project: Project = None,
) -> Json:
    """Get a service connection."""
    place = {"project": devops.project(project), "endpointId": connectionId}
    found = await devops.json(DevOpsRequest("GET /{project}/_apis/serviceendpoint/endpoints/{endpointId}", place))
    if not found:
        raise Refusal(f"Service connection {connectionId!r} not found. list_service_connections lists the ids.")
    return one(without_secrets(found), _CONNECTION)
