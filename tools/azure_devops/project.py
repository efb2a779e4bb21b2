"""Shows projects, their teams, iterations and areas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, SKIP
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, every, many, one, shape
from tools.azure_devops.shared.iterations import iterations_of
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project, Team

part = Part()

_PROJECT: Final = shape("id", "name", "description", "state", "visibility", updated="lastUpdateTime")
_WHOLE_PROJECT: Final = shape(
    "id",
    "name",
    "description",
    "state",
    "visibility",
    updated="lastUpdateTime",
    team="defaultTeam.name",
    process="capabilities.processTemplate.templateName",
    versionControl="capabilities.versioncontrol.sourceControlType",
)
_TEAM: Final = shape("id", "name", "description")
_MEMBER: Final = shape(id="identity.id", name="identity", admin="isTeamAdmin")
_ITERATION: Final = shape(
    "id",
    "name",
    "path",
    start="attributes.startDate",
    finish="attributes.finishDate",
    timeFrame="attributes.timeFrame",
)


@part.tool(Access.READ, harmless=("stateFilter",))
async def list_projects(
    devops: DevOps,
    stateFilter: Annotated[
        Literal["wellFormed", "createPending", "deleting", "new", "all"], Field(description="wellFormed: usable")
    ] = "wellFormed",
    maxResults: MaxResults = 100,
    detail: Detail = "summary",
) -> Json:
    """List projects."""
    request = DevOpsRequest("GET /_apis/projects", query={"stateFilter": stateFilter})
    return many(await devops.page(request, HEADER_TOKEN, maxResults), _PROJECT, detail)


@part.tool(Access.READ, harmless=("project",))
async def get_project(
    devops: DevOps,
    project: Annotated[str, Field(min_length=1, description="Name or id")],
    includeCapabilities: Annotated[bool, Field(description="Include process and version control")] = False,
    detail: Detail = "summary",
) -> Json:
    """Get a project."""
    query = {"includeCapabilities": True} if includeCapabilities else {}
    return one(
        await devops.json(DevOpsRequest("GET /_apis/projects/{project}", {"project": project}, query)),
        _WHOLE_PROJECT,
        detail,
    )


@part.tool(Access.READ, harmless=("project",))
async def list_teams(
    devops: DevOps, project: Project = None, maxResults: MaxResults = 100, detail: Detail = "summary"
) -> Json:
    """List the teams of a project."""
    request = DevOpsRequest("GET /_apis/projects/{project}/teams", {"project": devops.project(project)})
    return many(await devops.page(request, SKIP, maxResults), _TEAM, detail)


@part.tool(Access.READ, harmless=("project", "team"))
async def get_team_members(
    devops: DevOps,
    team: Annotated[str, Field(min_length=1, description="Name or id")],
    project: Project = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List the members of a team, and who administers it."""
    place = {"project": devops.project(project), "team": team}
    request = DevOpsRequest("GET /_apis/projects/{project}/teams/{team}/members", place)
    return many(await devops.page(request, SKIP, maxResults), _MEMBER)


@part.tool(Access.READ, harmless=("project", "team", "timeframe"))
async def list_iterations(
    devops: DevOps,
    project: Project = None,
    team: Team = None,
    timeframe: Annotated[Literal["past", "current", "future", "all"], Field(description="Only these")] = "all",
) -> Json:
    """List the iterations (sprints) of a team."""
    found = await iterations_of(devops, project, team)
    matching = [entry for entry in found if timeframe in {"all", entry["attributes"].get("timeFrame")}]
    return every(matching, _ITERATION)


@part.tool(Access.READ, harmless=("project", "team"))
async def get_current_iteration(devops: DevOps, project: Project = None, team: Team = None) -> Json:
    """Get the current iteration (sprint) of a team."""
    found = await iterations_of(devops, project, team, {"$timeframe": "current"})
    if not found:
        raise Refusal("The team has no current iteration. list_iterations lists the team's iterations.")
    return one(found[0], _ITERATION)


@part.tool(Access.READ, harmless=("project", "depth"))
async def list_area_paths(
    devops: DevOps,
    project: Project = None,
    depth: Annotated[int, Field(ge=1, le=20, description="Levels below the project")] = 5,
) -> Json:
    """List the area paths of a project."""
    place = {"project": devops.project(project), "group": "areas"}
    root = await devops.json(
        DevOpsRequest("GET /{project}/_apis/wit/classificationnodes/{group}", place, {"$depth": depth})
    )
    return every(_paths(root), dict)


def _paths(node: Json, above: str = "") -> Iterator[Json]:
    """Yield each node with its path in the format that work item fields use. The service returns the path in another
    format.
    """
    path = f"{above}\\{node['name']}" if above else str(node["name"])
    children = node.get("children") or ()
    yield {"id": node["id"], "path": path, **({"hasMore": True} if node["hasChildren"] and not children else {})}
    for child in children:
        yield from _paths(child, path)
