"""Finds work items by filters, words, WIQL queries, and saved queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, every, shape
from tools.azure_devops.shared.parameters import (
    AreaPath,
    Assignee,
    Detail,
    IterationPath,
    MaxResults,
    Project,
    States,
    Tags,
    Types,
)
from tools.azure_devops.shared.wiql import WorkItemFilters
from tools.azure_devops.work_items.query_results import filtered, queried, shown_result

part = Part()

SearchText = Annotated[str | None, Field(description="Words in title or description")]


@part.tool(Access.READ)
async def list_work_items(
    devops: DevOps,
    query: Annotated[str, Field(min_length=1, description="WIQL; selects the columns")],
    project: Project = None,
    maxResults: MaxResults = 50,
    detail: Detail = "summary",
) -> Json:
    """List the work items that a WIQL query finds."""
    return await queried(devops, query, devops.project_if_any(project), maxResults, detail)


@part.tool(Access.READ)
async def search_work_items(
    devops: DevOps,
    searchText: Annotated[str, Field(min_length=1, description="Words in title or description")],
    project: Project = None,
    workItemTypes: Types = None,
    states: States = None,
    assignedTo: Assignee = None,
    maxResults: MaxResults = 50,
) -> Json:
    """Find work items by words in their title or description."""
    filters = WorkItemFilters(words=searchText, types=workItemTypes, states=states, assigned_to=assignedTo)
    return await filtered(devops, filters, project, maxResults)


@part.tool(Access.READ)
async def query_work_items(
    devops: DevOps,
    project: Project = None,
    workItemTypes: Types = None,
    states: States = None,
    assignedTo: Assignee = None,
    areaPath: AreaPath = None,
    iterationPath: IterationPath = None,
    tags: Tags = None,
    searchText: SearchText = None,
    maxResults: MaxResults = 50,
    detail: Detail = "summary",
) -> Json:
    """Find work items assigned to someone, or by other filters, latest change first."""
    filters = WorkItemFilters(
        types=workItemTypes,
        states=states,
        assigned_to=assignedTo,
        area=areaPath,
        iteration=iterationPath,
        tags=tags,
        words=searchText,
    )
    return await filtered(devops, filters, project, maxResults, detail)


@part.tool(Access.READ)
async def list_saved_queries(
    devops: DevOps,
    project: Project = None,
    folder: Annotated[str | None, Field(description="Such as Shared Queries/Bugs")] = None,
) -> Json:
    """List saved queries and folders, two levels deep."""
    place = {"project": devops.project(project), "query": folder}
    request = DevOpsRequest("GET /{project}/_apis/wit/queries/{query}", place, {"$depth": 2})
    found = await devops.json(request)
    return every(_flat(found["value"] if folder is None else [found]), _SAVED)


@part.tool(Access.READ, harmless=("project", "id"))
async def run_saved_query(
    devops: DevOps,
    id: Annotated[str, Field(description="Query id")],
    project: Project = None,
    maxResults: MaxResults = 50,
) -> Json:
    """Run a saved query."""
    place = {"project": devops.project(project), "id": id}
    request = DevOpsRequest("GET /{project}/_apis/wit/wiql/{id}", place, {"$top": maxResults + 1})
    return await shown_result(devops, await devops.json(request), maxResults, "summary")


_SAVED = shape("id", "path", folder="isFolder")


def _flat(queries: Iterable[Json]) -> Iterator[Json]:
    for query in queries:
        yield query
        yield from _flat(query.get("children") or ())
