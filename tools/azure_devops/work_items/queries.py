"""Finding work items: by filters, by words, by queries of one's own, and by saved ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Annotated

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from clients.azure_devops.paging import Page
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Detail as Choice
from tools.azure_devops.shared.answers import Json, every, many, shape
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
from tools.azure_devops.shared.wiql import Filters
from tools.azure_devops.shared.work_item_reading import listed_items

part = Part()

SearchText = Annotated[str | None, Field(description="In title or description")]


@part.tool(Access.READ)
async def list_work_items(
    devops: DevOps,
    query: Annotated[str, Field(min_length=1, description="WIQL; its columns are shown")],
    project: Project = None,
    maxResults: MaxResults = 50,
    detail: Detail = "summary",
) -> Json:
    """List the work items that a WIQL query finds."""
    return await _found(devops, query, devops.project_if_any(project), maxResults, detail)


@part.tool(Access.READ)
async def search_work_items(
    devops: DevOps,
    searchText: Annotated[str, Field(min_length=1, description="In title or description")],
    project: Project = None,
    workItemTypes: Types = None,
    states: States = None,
    assignedTo: Assignee = None,
    maxResults: MaxResults = 50,
) -> Json:
    """Find work items by words in their title or description."""
    filters = Filters(words=searchText, types=workItemTypes, states=states, assigned_to=assignedTo)
    return await _filtered(devops, filters, project, maxResults)


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
    """Find work items assigned to someone, or by other filters, last changed first."""
    filters = Filters(
        types=workItemTypes,
        states=states,
        assigned_to=assignedTo,
        area=areaPath,
        iteration=iterationPath,
        tags=tags,
        words=searchText,
    )
    return await _filtered(devops, filters, project, maxResults, detail)


def _listing(*types: str) -> Callable[[Callable[[], Awaitable[None]]], Callable[..., Awaitable[Json]]]:
    """Make a list of work items of some types. All such lists are filtered alike; only name and description differ."""

    def named_as(declared: Callable[[], Awaitable[None]]) -> Callable[..., Awaitable[Json]]:
        async def listed(
            devops: DevOps,
            project: Project = None,
            states: States = None,
            assignedTo: Assignee = None,
            areaPath: AreaPath = None,
            iterationPath: IterationPath = None,
            tags: Tags = None,
            maxResults: MaxResults = 50,
        ) -> Json:
            filters = Filters(
                types=types, states=states, assigned_to=assignedTo, area=areaPath, iteration=iterationPath, tags=tags
            )
            return await _filtered(devops, filters, project, maxResults)

        listed.__name__, listed.__doc__ = declared.__name__, declared.__doc__
        return listed

    return named_as


@part.tool(Access.READ)
@_listing("Epic")
async def list_epics() -> None:
    """List epics, last changed first."""


@part.tool(Access.READ)
@_listing("Feature")
async def list_features() -> None:
    """List features, last changed first."""


@part.tool(Access.READ)
@_listing("User Story", "Product Backlog Item")
async def list_user_stories() -> None:
    """List user stories (Scrum: product backlog items), last changed first."""


@part.tool(Access.READ)
@_listing("Bug")
async def list_bugs() -> None:
    """List bugs, last changed first."""


@part.tool(Access.READ)
@_listing("Task")
async def list_tasks() -> None:
    """List tasks, last changed first."""


@part.tool(Access.READ)
async def list_saved_queries(
    devops: DevOps,
    project: Project = None,
    folder: Annotated[str | None, Field(description="Such as Shared Queries/Bugs")] = None,
) -> Json:
    """List saved queries and folders, two levels deep."""
    place = {"project": devops.project(project), "query": folder}
    request = Request("GET /{project}/_apis/wit/queries/{query}", place, {"$depth": 2})
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
    request = Request("GET /{project}/_apis/wit/wiql/{id}", place, {"$top": maxResults + 1})
    return await _items(devops, await devops.json(request), maxResults, "summary")


_SAVED = shape("id", "path", folder="isFolder")


def _flat(queries: Iterable[Json]) -> Iterator[Json]:
    for query in queries:
        yield query
        yield from _flat(query.get("children") or ())


async def _filtered(
    devops: AzureDevOps, filters: Filters, project: str | None, limit: int, detail: Choice = "summary"
) -> Json:
    where = devops.project_if_any(project)
    return await _found(devops, replace(filters, project=where).query(), where, limit, detail)


async def _found(devops: AzureDevOps, query: str, project: str | None, limit: int, detail: Choice) -> Json:
    place, body = {"project": project}, {"query": query}
    request = Request("POST /{project}/_apis/wit/wiql", place, {"$top": limit + 1}, body, is_read=True)
    return await _items(devops, await devops.json(request), limit, detail)


async def _items(devops: AzureDevOps, result: Json, limit: int, detail: Choice) -> Json:
    """What a query found: work items with the columns that it selects, and the links where it asks for links."""
    links = result.get("workItemRelations") or []
    ids = [entry["id"] for entry in result.get("workItems") or map(itemgetter("target"), links)]
    columns = [column["referenceName"] for column in result.get("columns") or ()]
    items = await listed_items(devops, list(dict.fromkeys(ids))[:limit], detail, columns)
    return many(
        Page(items, len(ids) > limit), dict, links=[_link(link) for link in links[:limit] if link.get("source")]
    )


def _link(link: Json) -> Json:
    return {"from": link["source"]["id"], "to": link["target"]["id"], "type": link["rel"]}
