"""Runs queries for work items, and formats the results for the query tools."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from tools.azure_devops.shared.answers import Extent, Json, many
from tools.azure_devops.shared.iterations import iteration_path
from tools.azure_devops.shared.state_filters import by_what_is_done
from tools.azure_devops.shared.wiql import WorkItemFilters
from tools.azure_devops.shared.work_item_reading import listed_items


async def filtered(
    devops: AzureDevOps, filters: WorkItemFilters, project: str | None, limit: int, detail: Extent = "summary"
) -> Json:
    """Return the matching work items, last changed first."""
    where = devops.project_if_any(project)
    iteration = await iteration_path(devops, where, filters.iteration)
    meant = await by_what_is_done(devops, replace(filters, project=where, iteration=iteration))
    return await queried(devops, meant.query(), where, limit, detail)


async def queried(devops: AzureDevOps, query: str, project: str | None, limit: int, detail: Extent) -> Json:
    """Return the work items that a WIQL query finds."""
    place, body = {"project": project}, {"query": query}
    request = DevOpsRequest("POST /{project}/_apis/wit/wiql", place, {"$top": limit + 1}, body, is_read=True)
    return await shown_result(devops, await devops.json(request), limit, detail)


async def shown_result(devops: AzureDevOps, result: Json, limit: int, detail: Extent) -> Json:
    """Return the results of a query: work items with the columns that the query selects, and links if the query asks
    for links.
    """
    links = result.get("workItemRelations") or []
    ids = [entry["id"] for entry in result.get("workItems") or map(itemgetter("target"), links)]
    columns = [column["referenceName"] for column in result.get("columns") or ()]
    items = await listed_items(devops, list(dict.fromkeys(ids))[:limit], detail, columns)
    return many(
        ListPage(items, len(ids) > limit), dict, links=[_link(link) for link in links[:limit] if link.get("source")]
    )


def _link(link: Json) -> Json:
    return {"from": link["source"]["id"], "to": link["target"]["id"], "type": link["rel"]}
