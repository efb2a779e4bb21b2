"""Lists what changed in a build since the previous build, or since another earlier build."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, marked, present, shape
from tools.azure_devops.shared.build_records import BuildId, build_request
from tools.azure_devops.shared.parameters import MaxResults, Project
from tools.azure_devops.shared.work_item_reading import listed_items

part = Part()

_CHANGE: Final = shape("id", "message", "author", "type", at="timestamp")


@part.tool(Access.READ, harmless=("project", "buildId"))
async def list_build_changes(
    devops: DevOps, buildId: BuildId, project: Project = None, maxResults: MaxResults = 50
) -> Json:
    """List the new commits in a build."""
    request = build_request(devops.project(project), buildId, "changes")
    return many(await devops.page(request, HEADER_TOKEN, maxResults), _CHANGE)


@part.tool(Access.READ, harmless=("project", "fromBuildId", "toBuildId"))
async def compare_builds(
    devops: DevOps,
    fromBuildId: Annotated[int, Field(ge=1, description="Earlier build")],
    toBuildId: Annotated[int, Field(ge=1, description="Later build")],
    project: Project = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List the commits and work items between two builds of a pipeline."""
    if fromBuildId >= toBuildId:
        raise Refusal(f"Build {fromBuildId} is not earlier than {toBuildId}: fromBuildId must be the smaller id.")
    place = {"project": devops.project(project)}
    asked = {"fromBuildId": fromBuildId, "toBuildId": toBuildId, "$top": maxResults + 1}
    changes = await devops.json(DevOpsRequest("GET /{project}/_apis/build/changes", place, asked))
    references = await devops.json(DevOpsRequest("GET /{project}/_apis/build/workitems", place, asked))
    return await _shown(devops, changes["value"], references["value"], maxResults)


async def _shown(devops: AzureDevOps, changes: list[Json], references: list[Json], limit: int) -> Json:
    ids = [int(reference["id"]) for reference in references if str(reference.get("id")).isdecimal()]
    items = await listed_items(devops, ids[:limit])
    is_cut = len(changes) > limit or len(references) > limit
    more = "There are more results: raise maxResults, or compare closer builds." if is_cut else None
    commits = [_CHANGE(change) for change in changes[:limit]]
    return marked({**present({"more": more}), "commits": commits, "workItems": items})
