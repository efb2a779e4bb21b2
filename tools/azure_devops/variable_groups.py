"""Shows and changes variable groups. For secret variables, the names are shown, not the values."""

from __future__ import annotations

from typing import Annotated, Any, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, one, present, shape
from tools.azure_devops.shared.parameters import MaxResults, Project
from tools.azure_devops.shared.withheld import variables_of, without_secrets

part = Part()

_GROUP: Final = shape("id", "name", "type", "description", by="modifiedBy", changed="modifiedOn")


@part.tool(Access.READ, harmless=("project", "groupName"))
async def list_variable_groups(
    devops: DevOps,
    project: Project = None,
    groupName: Annotated[str | None, Field(description="May have *")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List variable groups with their variables."""
    place, query = {"project": devops.project(project)}, {"groupName": groupName}
    request = DevOpsRequest("GET /{project}/_apis/distributedtask/variablegroups", place, query)
    page = await devops.page(request, HEADER_TOKEN, maxResults)
    return many(ListPage(without_secrets(page.items), page.has_more), _shown)


@part.tool(Access.READ, harmless=("project", "groupId"))
async def get_variable_group(
    devops: DevOps, groupId: Annotated[int, Field(description="Group id")], project: Project = None
) -> Json:
    """Get a variable group with its variables."""
    place = {"project": devops.project(project), "groupId": groupId}
    found = await devops.json(DevOpsRequest("GET /{project}/_apis/distributedtask/variablegroups/{groupId}", place))
    if not found:
        raise Refusal(f"Variable group {groupId} not found. list_variable_groups lists the ids.")
    return one(without_secrets(found), _shown)


def _shown(group: Any) -> Json:
    return present({**_GROUP(group), **variables_of(group)})
