"""Reads the logs of release deployments."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Annotated, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.releases.records import (
    EnvironmentId,
    ReleaseId,
    environment_request,
    latest_deployment,
    release_request,
    shown_task,
    tasks_of,
)
from tools.azure_devops.shared.answers import Json, answer
from tools.azure_devops.shared.build_logs import (
    LARGEST_LOG,
    LAST_LINES,
    EndLine,
    LogSelection,
    StartLine,
    first_of_last,
    fitting,
    shown_log,
)
from tools.azure_devops.shared.log_lines import line_range
from tools.azure_devops.shared.log_patterns import Context, PatternText
from tools.azure_devops.shared.log_searches import searched
from tools.azure_devops.shared.parameters import Project

part = Part()

_MOST_LOGS: Final = 8
_MOST_SEARCHED: Final = 40
_READ_AT_ONCE: Final = 4
_ENDING: Final = 30
_ADDRESS: Final = re.compile(r"/deployPhases/(\d+)/tasks/(\d+)/logs", re.IGNORECASE)
_FINE: Final = frozenset({"success", "succeeded", "skipped", "pending", "unknown"})


@part.tool(Access.READ, harmless=("project", "releaseId", "environmentId", "taskId"))
async def get_release_logs(
    devops: DevOps,
    releaseId: ReleaseId,
    environmentId: EnvironmentId,
    project: Project = None,
    taskId: Annotated[int | None, Field(description="Default: the end of each log")] = None,
    startLine: StartLine = None,
    endLine: EndLine = None,
    pattern: PatternText = None,
    context: Context = 2,
) -> Json:
    """Read the logs of the latest deployment to an environment, or find lines in them."""
    place, selection = devops.project(project), LogSelection.of(startLine, endLine, pattern, context)
    environment = await devops.json(environment_request(place, releaseId, environmentId))
    deployment = latest_deployment(environment)
    tasks = tasks_of(deployment)
    logs = {task["id"]: log for task in tasks if (log := _log(place, environment, task))}
    if taskId is not None:
        task = _task(tasks, logs, taskId)
        return answer(**shown_task(task), **await _lines(devops, logs[taskId], task, selection, LAST_LINES))
    about = {"environment": environment["name"], "status": environment["status"], "attempt": deployment.get("attempt")}
    with_log = [task for task in tasks if task["id"] in logs]
    if selection.search:
        return answer(**about, **await _found(devops, logs, with_log, selection))
    texts = await _texts(devops, logs, _most_telling(with_log), selection)
    return answer(**about, tasks=[shown_task(task) | texts.get(task["id"], {}) for task in tasks])


def _log(project: str, environment: Json, task: Json) -> DevOpsRequest | None:
    """Build the request for the log of a task. The log's URL could point to any host, so only ids are taken from it."""
    found = _ADDRESS.search(task.get("logUrl") or "")
    if not found:
        return None
    line = (
        "GET /{project}/_apis/release/releases/{releaseId}/environments/{environmentId}"
        "/deployPhases/{phaseId}/tasks/{taskId}/logs"
    )
    place = {"releaseId": environment["releaseId"], "environmentId": environment["id"]}
    return release_request(line, project, **place, phaseId=int(found[1]), taskId=int(found[2]))


def _task(tasks: list[Json], logs: dict[int, DevOpsRequest], task_id: int) -> Json:
    for task in tasks:
        if task["id"] == task_id and task_id in logs:
            return task
    known = ", ".join(f"{task['id']} ({task.get('name')})" for task in tasks if task["id"] in logs) or "none"
    raise Refusal(f"Log of task {task_id} not found in the deployment. Tasks with logs: {known}.")


async def _found(
    devops: AzureDevOps, logs: dict[int, DevOpsRequest], tasks: list[Json], selection: LogSelection
) -> Json:
    """Return the tasks whose logs contain matches, with the matching lines."""
    looked_at = tasks[:_MOST_SEARCHED]
    texts = await _texts(devops, logs, looked_at, selection)
    telling = [
        shown_task(task) | text for task in looked_at if "content" in (text := texts[task["id"]]) or "more" in text
    ]
    left = f"Logs not searched: {len(tasks) - len(looked_at)}." if len(tasks) > len(looked_at) else None
    return {"searched": len(looked_at), "more": left, "tasks": list(fitting(telling))}


async def _texts(
    devops: AzureDevOps, logs: dict[int, DevOpsRequest], tasks: list[Json], selection: LogSelection
) -> dict[int, Json]:
    turns = asyncio.Semaphore(_READ_AT_ONCE)

    async def of_one(task: Json) -> tuple[int, Json]:
        async with turns:
            return task["id"], await _lines(devops, logs[task["id"]], task, selection, _ENDING)

    return dict(await asyncio.gather(*map(of_one, tasks)))


async def _lines(devops: AzureDevOps, log: DevOpsRequest, task: Json, selection: LogSelection, ending: int) -> Json:
    """Return the requested part of a log. By default, this is the end of the log."""
    if selection.search:
        return await searched(devops, log, selection.search)
    start, end = selection.start, selection.end
    if start is None and end is None:
        start = first_of_last(int(task.get("lineCount") or 0), ending)
    text = await devops.text(replace(log, query=line_range(start, end)), LARGEST_LOG)
    return shown_log(text, start or 1)


def _most_telling(tasks: list[Json]) -> list[Json]:
    """Return the tasks whose logs should be read: failed tasks first, then the last tasks."""
    latest_first = tasks[::-1]
    return sorted(latest_first, key=lambda task: str(task.get("status")) in _FINE)[:_MOST_LOGS]
