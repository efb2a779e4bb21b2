"""What a team has before it: its backlogs, and who works on what in an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from clients.azure_devops.paging import Page
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Extent, Json, answer, every, many, shape
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project, Team
from tools.azure_devops.shared.teams import team_place
from tools.azure_devops.shared.work_item_reading import listed_items

part = Part()

_BACKLOG: Final = shape("id", "name", "type", "rank", hidden="isHidden")
_MEMBER: Final = shape("activities", "daysOff", member="teamMember")

IterationId = Annotated[str, Field(min_length=1, description="From list_iterations")]


@part.tool(Access.READ, harmless=("project", "team"))
async def list_backlogs(devops: DevOps, project: Project = None, team: Team = None) -> Json:
    """List the backlogs of a team, and the types of work items in each."""
    place = await team_place(devops, project, team)
    found = await devops.json(Request("GET /{project}/{team}/_apis/work/backlogs", place))
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
    found = await devops.json(Request("GET /{project}/{team}/_apis/work/backlogs/{backlogId}/workItems", place))
    return await _linked(devops, found["workItems"], maxResults, detail)


@part.tool(Access.READ, harmless=("project", "team", "iterationId"))
async def list_iteration_items(
    devops: DevOps,
    iterationId: IterationId,
    project: Project = None,
    team: Team = None,
    maxResults: MaxResults = 100,
    detail: Detail = "summary",
) -> Json:
    """List the work items of a team in an iteration, each with its parent there."""
    place = {"project": devops.project(project), "team": team, "iterationId": iterationId}
    line = "GET /{project}/{team}/_apis/work/teamsettings/iterations/{iterationId}/workitems"
    found = await devops.json(Request(line, place))
    return await _linked(devops, found["workItemRelations"], maxResults, detail)


@part.tool(Access.READ, harmless=("project", "team", "iterationId"))
async def get_team_capacity(
    devops: DevOps, iterationId: IterationId, project: Project = None, team: Team = None
) -> Json:
    """Get how many hours a day each member of a team has in an iteration, and who is off when."""
    place = {"project": devops.project(project), "team": team, "iterationId": iterationId}
    line = "GET /{project}/{team}/_apis/work/teamsettings/iterations/{iterationId}"
    capacity = await devops.json(Request(f"{line}/capacities", place))
    off = await devops.json(Request(f"{line}/teamdaysoff", place))
    return answer(
        perDay=capacity.get("totalCapacityPerDay"),
        daysOff=off["daysOff"],
        members=[_MEMBER(member) for member in capacity["teamMembers"]],
    )


def _backlog(level: Mapping[str, Any]) -> Json:
    return _BACKLOG(level) | {"types": [kind["name"] for kind in level["workItemTypes"]]}


async def _linked(devops: AzureDevOps, links: Sequence[Json], limit: int, detail: Extent) -> Json:
    """The work items to which links lead, with the one from which each comes."""
    parents = {link["target"]["id"]: (link.get("source") or {}).get("id") for link in links}
    items = await listed_items(devops, list(parents)[:limit], detail)
    shown = [{**item, "parent": parents[item["id"]]} if parents[item["id"]] else item for item in items]
    return many(Page(shown, len(parents) > limit), dict)
