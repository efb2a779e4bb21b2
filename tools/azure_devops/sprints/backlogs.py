"""Shows a team's backlogs and their work items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, every, many, shape
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project, Team
from tools.azure_devops.shared.teams import team_place
from tools.azure_devops.shared.work_item_reading import listed_items
from tools.azure_devops.sprints.hierarchy import parents_of, with_parents

part = Part()

_BACKLOG: Final = shape("id", "name", "type", "rank", hidden="isHidden")


@part.tool(Access.READ, harmless=("project", "team"))
async def list_backlogs(devops: DevOps, project: Project = None, team: Team = None) -> Json:
    """List the backlogs of a team, and the types of work items in each."""
    place = await team_place(devops, project, team)
    found = await devops.json(DevOpsRequest("GET /{project}/{team}/_apis/work/backlogs", place))
    return every(found["value"], _backlog)


@part.tool(Access.READ, harmless=("project", "team", "backlogId"))
async def list_backlog_items(
    devops: DevOps,
    backlogId: Annotated[str, Field(min_length=1, description="From list_backlogs")],
    project: Project = None,
    team: Team = None,
    maxResults: MaxResults = 50,
    detail: Detail = "summary",
) -> Json:
    """List the work items of a backlog, from the top."""
    place = {**await team_place(devops, project, team), "backlogId": backlogId}
    found = await devops.json(DevOpsRequest("GET /{project}/{team}/_apis/work/backlogs/{backlogId}/workItems", place))
    parents = parents_of(found["workItems"])
    items = await listed_items(devops, list(parents)[:maxResults], detail)
    return many(ListPage(with_parents(items, parents), len(parents) > maxResults), dict)


def _backlog(level: Mapping[str, Any]) -> Json:
    return _BACKLOG(level) | {"types": [kind["name"] for kind in level["workItemTypes"]]}
