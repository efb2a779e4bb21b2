"""Lists work items by type. All tools in this module have the same filters."""

from __future__ import annotations

from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json
from tools.azure_devops.shared.parameters import AreaPath, Assignee, IterationPath, MaxResults, Project, States, Tags
from tools.azure_devops.shared.wiql import WorkItemFilters
from tools.azure_devops.work_items.query_results import filtered

part = Part()


@part.tool(Access.READ)
async def list_epics(
    devops: DevOps,
    project: Project = None,
    states: States = None,
    assignedTo: Assignee = None,
    areaPath: AreaPath = None,
    iterationPath: IterationPath = None,
    tags: Tags = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List epics."""
    filters = WorkItemFilters(
        types=("Epic",), states=states, assigned_to=assignedTo, area=areaPath, iteration=iterationPath, tags=tags
    )
    return await filtered(devops, filters, project, maxResults)


@part.tool(Access.READ)
async def list_features(
    devops: DevOps,
    project: Project = None,
    states: States = None,
    assignedTo: Assignee = None,
    areaPath: AreaPath = None,
    iterationPath: IterationPath = None,
    tags: Tags = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List features."""
    filters = WorkItemFilters(
        types=("Feature",), states=states, assigned_to=assignedTo, area=areaPath, iteration=iterationPath, tags=tags
    )
    return await filtered(devops, filters, project, maxResults)


@part.tool(Access.READ)
async def list_user_stories(
    devops: DevOps,
    project: Project = None,
    states: States = None,
    assignedTo: Assignee = None,
    areaPath: AreaPath = None,
    iterationPath: IterationPath = None,
    tags: Tags = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List user stories (Scrum: backlog items)."""
    filters = WorkItemFilters(
        types=("User Story", "Product Backlog Item"),
        states=states,
        assigned_to=assignedTo,
        area=areaPath,
        iteration=iterationPath,
        tags=tags,
    )
    return await filtered(devops, filters, project, maxResults)


@part.tool(Access.READ)
async def list_bugs(
    devops: DevOps,
    project: Project = None,
    states: States = None,
    assignedTo: Assignee = None,
    areaPath: AreaPath = None,
    iterationPath: IterationPath = None,
    tags: Tags = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List bugs."""
    filters = WorkItemFilters(
        types=("Bug",), states=states, assigned_to=assignedTo, area=areaPath, iteration=iterationPath, tags=tags
    )
    return await filtered(devops, filters, project, maxResults)


@part.tool(Access.READ)
async def list_tasks(
    devops: DevOps,
    project: Project = None,
    states: States = None,
    assignedTo: Assignee = None,
    areaPath: AreaPath = None,
    iterationPath: IterationPath = None,
    tags: Tags = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List tasks."""
    filters = WorkItemFilters(
        types=("Task",), states=states, assigned_to=assignedTo, area=areaPath, iteration=iterationPath, tags=tags
    )
    return await filtered(devops, filters, project, maxResults)
