"""Shared code for builds, including pipeline runs: requests, answers, and cancellation."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, ListPage
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.answers import Extent, Json, one, shape
from tools.azure_devops.shared.withheld import variables_of, without_secrets

BUILD: Final = "GET /{project}/_apis/build/builds/{buildId}"

BuildId = Annotated[int, Field(description="Build id")]
PipelineId = Annotated[int, Field(description="Its id")]
RunId = Annotated[int, Field(description="Run id")]
Status = Annotated[
    Literal["inProgress", "completed", "cancelling", "postponed", "notStarted", "all"] | None,
    Field(description="Only these"),
]
Result = Annotated[
    Literal["succeeded", "partiallySucceeded", "failed", "canceled"] | None, Field(description="Only these")
]
Branch = Annotated[str | None, Field(description="Such as main")]
Folder = Annotated[str | None, Field(description="Such as \\Team")]
NamePattern = Annotated[str | None, Field(description="May have *")]

_LISTED: Final = {
    "number": "buildNumber",
    "status": "status",
    "result": "result",
    "pipelineId": "definition.id",
    "pipeline": "definition.name",
    "branch": "sourceBranch",
    "reason": "reason",
    "by": "requestedFor",
    "queued": "queueTime",
    "finished": "finishTime",
}
listed_build: Final = shape("id", **_LISTED)
single_build: Final = shape(
    "id",
    **_LISTED,
    commit="sourceVersion",
    repository="repository.name",
    started="startTime",
    pool="queue.name",
    problems="validationResults",
    tags="tags",
    link="_links.web.href",
)
listed_definition: Final = shape("id", "name", "path", status="queueStatus", changed="createdDate")
_DEFINITION: Final = shape(
    "id",
    "name",
    "path",
    "description",
    "revision",
    status="queueStatus",
    yaml="process.yamlFilename",
    repository="repository.name",
    branch="repository.defaultBranch",
    pool="queue.name",
    link="_links.web.href",
)
_LATEST: Final = shape("id", "status", "result", number="buildNumber")


async def builds(devops: AzureDevOps, project: str | None, filters: dict[str, Any], limit: int) -> ListPage:
    """Return builds that match these filters, newest first."""
    query = {**filters, "queryOrder": "queueTimeDescending"}
    request = DevOpsRequest("GET /{project}/_apis/build/builds", {"project": devops.project(project)}, query)
    return await devops.page(request, HEADER_TOKEN, limit)


async def definitions(
    devops: AzureDevOps, project: str | None, folder: str | None, name: str | None, n: int
) -> ListPage:
    query = {"path": folder_path(folder), "name": name}
    request = DevOpsRequest("GET /{project}/_apis/build/definitions", {"project": devops.project(project)}, query)
    return await devops.page(request, HEADER_TOKEN, n)


def definition_request(project: str, definition_id: int) -> DevOpsRequest:
    place = {"project": project, "definitionId": definition_id}
    return DevOpsRequest("GET /{project}/_apis/build/definitions/{definitionId}", place)


def shown_definition(definition: Json, detail: Extent) -> Json:
    """Return a pipeline with its latest run and its variables. Secret values are left out."""
    open_part = without_secrets(definition)
    more = {**variables_of(definition), "latest": _LATEST(definition.get("latestBuild") or {})}
    return one(open_part, _DEFINITION, detail, **(more if detail == "summary" else {}))


def build_request(project: str, build_id: int, part: str = "") -> DevOpsRequest:
    """Build the request for a build, or for a part of a build such as the `timeline`."""
    line = f"{BUILD}/{part}" if part else BUILD
    return DevOpsRequest(line, {"project": project, "buildId": build_id})


async def cancel(devops: AzureDevOps, project: str, build_id: int) -> Json:
    """Cancel a build.

    Raises:
        Refusal: The build has already completed.
    """
    place = {"project": project, "buildId": build_id}
    line = "PATCH /{project}/_apis/build/builds/{buildId}"
    build: Json = await devops.json(DevOpsRequest(line, place, body={"status": "cancelling"}))
    if build["status"] == "completed":
        raise Refusal(f"Build {build_id} has already completed ({build.get('result')}). Nothing was canceled.")
    return build


async def run_of(devops: AzureDevOps, project: str, pipeline_id: int, run_id: int) -> Json:
    """Return a run. Raise a Refusal if the run belongs to another pipeline."""
    run: Json = await devops.json(build_request(project, run_id))
    actual = run["definition"]
    if actual["id"] == pipeline_id:
        return run
    raise Refusal(
        f"Run {run_id} belongs to pipeline {actual['id']} ({actual.get('name')}), not {pipeline_id}."
        " list_pipeline_runs lists the runs of a pipeline."
    )


def as_ref(branch: str | None) -> str | None:
    """Return a branch in the format of the builds API."""
    if not branch:
        return None
    return branch if branch.startswith("refs/") else f"refs/heads/{branch}"


def folder_path(folder: str | None) -> str | None:
    """Return a folder as a path in the format of the pipelines API, which starts at the root and has backslashes."""
    return None if folder is None else "\\" + folder.replace("/", "\\").strip("\\")
