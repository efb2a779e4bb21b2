"""Determines which permissions a tool call requires, given its arguments and the items that the arguments name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tools.azure_devops.pipelines.azd import pipeline_of_environment
from tools.azure_devops.rights.needs import PermissionNeed, on
from tools.azure_devops.rights.permissions import (
    BYPASS_POLICIES,
    CONTRIBUTE,
    CREATE_ITERATIONS,
    DELETE_ITEMS,
    DESTROY_ITEMS,
    EDIT_ITEMS,
    MOVE_ITEMS,
    QUEUE_BUILDS,
    DevOpsPermission,
)
from tools.azure_devops.rights.things import (
    area_of,
    branch_in,
    iteration_of,
    pipeline_in,
    pipeline_of,
    project_of,
    release_pipeline_of,
    repository_of,
    run_of,
    stage_of,
    wiki_of,
)
from tools.azure_devops.shared.field_names import PROJECT, by_reference_name
from tools.azure_devops.shared.pull_request_reading import place_of_pull_request, read
from tools.azure_devops.shared.work_item_reading import items_of

Given = Mapping[str, Any]
Finding = Callable[[AzureDevOps, Given], Awaitable[Sequence[PermissionNeed]]]

# The maximum number of areas or projects to check per call, because each requires another request.
MOST_PLACES: Final = 20
_AREA: Final = "System.AreaPath"


def on_items(parameter: str, *permissions: DevOpsPermission) -> Finding:
    """Require one of these permissions on the area of each work item."""

    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        return await _on_areas(devops, await _places_of(devops, given[parameter], _AREA), *permissions)

    return found


async def to_update_items(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
    """Require permissions on the current and new areas of work items."""
    places = await _places_of(devops, given["id"], _AREA)
    needs = await _on_areas(devops, places | ({given["areaPath"]} if given.get("areaPath") else set()), EDIT_ITEMS)
    if PROJECT not in by_reference_name(given.get("additionalFields")):
        return needs
    projects = {place.partition("\\")[0] for place in places}
    return [*needs, *[on(await project_of(devops, project), MOVE_ITEMS) for project in sorted(projects)]]


async def to_delete_items(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
    permission = DESTROY_ITEMS if given.get("permanent") else DELETE_ITEMS
    projects = await _places_of(devops, given["id"], PROJECT)
    return [on(await project_of(devops, project), permission) for project in sorted(projects)]


def on_area(permission: DevOpsPermission) -> Finding:
    """Require a permission on the area of a new item. The default area is the root area of the project."""

    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        return [on(await area_of(devops, given.get("areaPath") or devops.project(given.get("project"))), permission)]

    return found


def on_plan(permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        project = devops.project(given.get("project"))
        place = {"project": project, "planId": given["planId"]}
        plan = await devops.json(DevOpsRequest("GET /{project}/_apis/testplan/plans/{planId}", place))
        return [on(await area_of(devops, str(plan.get("areaPath") or project)), permission)]

    return found


def on_project(permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        return [on(await project_of(devops, devops.project(given.get("project"))), permission)]

    return found


async def on_iterations(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
    """Require permissions on the parent of a new iteration."""
    project = devops.project(given.get("project"))
    return [on(await iteration_of(devops, project, str(given.get("parent") or "")), CREATE_ITERATIONS)]


def on_repository(*permissions: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        return [on(await repository_of(devops, given.get("project"), given["repository"]), *permissions)]

    return found


def on_branch(parameter: str, permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        repository = await repository_of(devops, given.get("project"), given["repository"])
        return [on(branch_in(repository, given[parameter]), permission)]

    return found


async def to_complete(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
    """Require permission to write to a merge's target branch and, if the call bypasses policies, to bypass policies."""
    project, name = given.get("project"), given["repository"]
    found = await read(devops, place_of_pull_request(devops, project, name, given["pullRequestId"]))
    target = branch_in(await repository_of(devops, project, name), str(found["targetRefName"]))
    bypassing = [on(target, BYPASS_POLICIES)] if given.get("bypassPolicy") else []
    return [on(target, CONTRIBUTE), *bypassing]


def on_wiki(permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        project = devops.project(given.get("project"))
        return [on(await wiki_of(devops, project, given["wikiId"], given.get("branch")), permission)]

    return found


def on_pipeline(parameter: str, permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        return [on(await pipeline_of(devops, devops.project(given.get("project")), given[parameter]), permission)]

    return found


async def to_deploy_with_azd(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
    project = devops.project(given.get("project"))
    return [on(pipeline_in(await pipeline_of_environment(devops, given["environment"], project)), QUEUE_BUILDS)]


def on_a_run(parameter: str, permission: DevOpsPermission) -> Finding:
    """Require a permission on the pipeline of a run. The users who requested the run do not need the permission."""

    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        pipeline, people = await run_of(devops, devops.project(given.get("project")), given[parameter])
        return [replace(on(pipeline, permission), exempt=frozenset(people))]

    return found


def on_release_pipeline(permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        project = devops.project(given.get("project"))
        return [on(await release_pipeline_of(devops, project, given["definitionId"]), permission)]

    return found


def on_stage(permission: DevOpsPermission) -> Finding:
    async def found(devops: AzureDevOps, given: Given) -> Sequence[PermissionNeed]:
        project = devops.project(given.get("project"))
        return [on(await stage_of(devops, project, given["releaseId"], given["environmentId"]), permission)]

    return found


async def _places_of(devops: AzureDevOps, ids: int | Sequence[int], field: str) -> set[str]:
    """Return the areas or projects of work items.

    Raises:
        Refusal: No work item can be read, or the work items are in too many areas or projects.
    """
    items = await items_of(devops, [ids] if isinstance(ids, int) else list(ids), [field])
    places = {str(item["fields"][field]) for item in items}
    if not places or len(places) > MOST_PLACES:
        raise Refusal(f"The work items are in {len(places)} areas or projects.")
    return places


async def _on_areas(devops: AzureDevOps, paths: set[str], *permissions: DevOpsPermission) -> Sequence[PermissionNeed]:
    return [on(await area_of(devops, path), *permissions) for path in sorted(paths)]
