"""Deployments of releases to their environments: started, approved, and what they wrote."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from clients.azure_devops.paging import ByToken, Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.releases.records import (
    EnvironmentId,
    ReleaseId,
    environment_request,
    latest_deployment,
    listed_approval,
    release_request,
    shown_task,
    single_environment,
    tasks_of,
)
from tools.azure_devops.shared.answers import Json, answer, many, one
from tools.azure_devops.shared.build_logs import (
    LARGEST_LOG,
    LAST_LINES,
    EndLine,
    StartLine,
    first_of_last,
    line_range,
    shown_log,
)
from tools.azure_devops.shared.parameters import Comment, MaxResults, Project
from tools.azure_devops.shared.withheld import without_secrets

part = Part()

_APPROVALS: Final = ByToken(top="top")
_MOST_LOGS: Final = 8
_MOST_APPROVALS: Final = 100
_ENDING: Final = 30
_ADDRESS: Final = re.compile(r"/deployPhases/(\d+)/tasks/(\d+)/logs", re.IGNORECASE)
_FINE: Final = frozenset({"success", "succeeded", "skipped", "pending", "unknown"})


@part.tool(Access.WRITE, harmless=("project", "releaseId", "environmentId"))
async def deploy_release(
    devops: DevOps,
    releaseId: ReleaseId,
    environmentId: EnvironmentId,
    project: Project = None,
    comment: Comment = None,
) -> Json:
    """Deploy a release to one of its environments."""
    line = "PATCH /{project}/_apis/Release/releases/{releaseId}/environments/{environmentId}"
    place = devops.project(project)
    request = release_request(line, place, releaseId=releaseId, environmentId=environmentId)
    body = {"status": "inProgress", **({"comment": comment} if comment else {})}
    return one(without_secrets(await devops.json(replace(request, body=body))), single_environment)


@part.tool(Access.READ, harmless=("project", "releaseId", "environmentId"))
async def get_release_environment(
    devops: DevOps, releaseId: ReleaseId, environmentId: EnvironmentId, project: Project = None
) -> Json:
    """Get an environment of a release, with its approvals and latest deployment."""
    environment = await devops.json(environment_request(devops.project(project), releaseId, environmentId))
    return one(without_secrets(environment), single_environment)


@part.tool(Access.READ, harmless=("project", "releaseId", "status"))
async def list_release_approvals(
    devops: DevOps,
    project: Project = None,
    releaseId: Annotated[int | None, Field(description="Release id")] = None,
    status: Annotated[Literal["pending", "approved", "rejected"], Field(description="Which")] = "pending",
    maxResults: MaxResults = 50,
) -> Json:
    """List approvals that releases wait for, or had."""
    return many(await _approvals(devops, devops.project(project), releaseId, status, maxResults), listed_approval)


@part.tool(Access.WRITE, harmless=("project", "releaseId", "approvalId", "status"))
async def approve_release(
    devops: DevOps,
    releaseId: ReleaseId,
    approvalId: Annotated[int, Field(description="Approval id")],
    status: Annotated[Literal["approved", "rejected"], Field(description="Decision")],
    project: Project = None,
    comment: Comment = None,
) -> Json:
    """Approve or reject a deployment that waits for it."""
    place = devops.project(project)
    pending = await _approvals(devops, place, releaseId, "pending", _MOST_APPROVALS)
    _refuse_other_approval(pending.items, releaseId, approvalId)
    request = release_request("PATCH /{project}/_apis/release/approvals/{approvalId}", place, approvalId=approvalId)
    body = {"status": status, **({"comments": comment} if comment else {})}
    return one(await devops.json(replace(request, body=body)), listed_approval)


@part.tool(Access.READ, harmless=("project", "releaseId", "environmentId", "taskId"))
async def get_release_logs(
    devops: DevOps,
    releaseId: ReleaseId,
    environmentId: EnvironmentId,
    project: Project = None,
    taskId: Annotated[int | None, Field(description="Default: the ends of all")] = None,
    startLine: StartLine = None,
    endLine: EndLine = None,
) -> Json:
    """Read the logs of the latest deployment to an environment."""
    environment = await devops.json(environment_request(devops.project(project), releaseId, environmentId))
    deployment = latest_deployment(environment)
    tasks = tasks_of(deployment)
    logs = {task["id"]: request for task in tasks if (request := _log(devops.project(project), environment, task))}
    if taskId is not None:
        return await _one_log(devops, logs, tasks, taskId, (startLine, endLine))
    read = _most_telling([task for task in tasks if task["id"] in logs])
    ends = await asyncio.gather(*(_lines(devops, logs[task["id"]], task, (None, None), _ENDING) for task in read))
    texts = dict(zip((task["id"] for task in read), ends, strict=True))
    return answer(
        environment=environment["name"],
        status=environment["status"],
        attempt=deployment.get("attempt"),
        tasks=[shown_task(task) | texts.get(task["id"], {}) for task in tasks],
    )


async def _approvals(devops: AzureDevOps, project: str, release_id: int | None, status: str, limit: int) -> Page:
    query = {"statusFilter": status, "releaseIdsFilter": release_id, "typeFilter": "all"}
    request = release_request("GET /{project}/_apis/release/approvals", project)
    return await devops.page(replace(request, query=query), _APPROVALS, limit)


def _refuse_other_approval(pending: list[Json], release_id: int, approval_id: int) -> None:
    if any(approval["id"] == approval_id for approval in pending):
        return
    waiting = ", ".join(f"{entry['id']} ({entry['releaseEnvironment']['name']})" for entry in pending) or "none"
    raise Refusal(f"Release {release_id} does not wait for approval {approval_id}. It waits for: {waiting}.")


def _log(project: str, environment: Json, task: Json) -> Request | None:
    """Asks for the log of a task. Of its address only the numbers are taken, for it may lead anywhere."""
    found = _ADDRESS.search(task.get("logUrl") or "")
    if not found:
        return None
    line = (
        "GET /{project}/_apis/release/releases/{releaseId}/environments/{environmentId}"
        "/deployPhases/{phaseId}/tasks/{taskId}/logs"
    )
    place = {"releaseId": environment["releaseId"], "environmentId": environment["id"]}
    return release_request(line, project, **place, phaseId=int(found[1]), taskId=int(found[2]))


async def _one_log(
    devops: AzureDevOps, logs: dict[int, Request], tasks: list[Json], task_id: int, asked: tuple[int | None, int | None]
) -> Json:
    if task_id not in logs:
        known = ", ".join(f"{task['id']} ({task.get('name')})" for task in tasks if task["id"] in logs) or "none"
        raise Refusal(f"The deployment has no log of a task {task_id}. Tasks with logs: {known}.")
    task = next(task for task in tasks if task["id"] == task_id)
    return answer(**shown_task(task), **await _lines(devops, logs[task_id], task, asked, LAST_LINES))


async def _lines(
    devops: AzureDevOps, log: Request, task: Json, asked: tuple[int | None, int | None], ending: int
) -> Json:
    """The lines of a log that were asked for, or else its last ones."""
    start, end = asked
    if asked == (None, None):
        start = first_of_last(int(task.get("lineCount") or 0), ending)
    text = await devops.text(replace(log, query=line_range(start, end)), LARGEST_LOG)
    return shown_log(text, start or 1)


def _most_telling(tasks: list[Json]) -> list[Json]:
    """The tasks whose logs are read: those that did not go well, and then the last ones."""
    latest_first = tasks[::-1]
    return sorted(latest_first, key=lambda task: str(task.get("status")) in _FINE)[:_MOST_LOGS]
