"""Pipelines and their runs. A run is a build, and its id that of the build."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from changes.preview import Preview
from clients.azure_devops.messages import Request
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.previews.deployments import may_deploy, run_preview, start_preview
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, many, one, shape
from tools.azure_devops.shared.build_logs import (
    EndLine,
    LogId,
    StartLine,
    Wanted,
    logs_of,
    named_logs,
    read_logs,
)
from tools.azure_devops.shared.build_records import (
    Branch,
    Folder,
    NamePattern,
    PipelineId,
    Result,
    RunId,
    Status,
    as_ref,
    builds,
    cancel,
    definition_request,
    definitions,
    listed_build,
    listed_definition,
    run_of,
    shown_definition,
    single_build,
)
from tools.azure_devops.shared.build_timeline import timeline_of
from tools.azure_devops.shared.log_patterns import Context, PatternText
from tools.azure_devops.shared.named_values import NamedValues, as_variables, checked
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project
from tools.azure_devops.shared.withheld import without_secrets

part = Part()

_RUN: Final = shape(
    "id",
    "state",
    "result",
    number="name",
    pipelineId="pipeline.id",
    pipeline="pipeline.name",
    created="createdDate",
    link="_links.web.href",
)


@part.tool(Access.READ, harmless=("project", "folder"))
async def list_pipelines(
    devops: DevOps,
    project: Project = None,
    folder: Folder = None,
    name: NamePattern = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List pipelines."""
    return many(await definitions(devops, project, folder, name, maxResults), listed_definition)


@part.tool(Access.READ, harmless=("project", "pipelineId"))
async def get_pipeline(
    devops: DevOps, pipelineId: PipelineId, project: Project = None, detail: Detail = "summary"
) -> Json:
    """Get a pipeline with its variables and its latest run."""
    request = definition_request(devops.project(project), pipelineId).asking("query", includeLatestBuilds="true")
    return shown_definition(await devops.json(request), detail)


@part.tool(Access.READ, harmless=("project", "pipelineId", "status", "result"))
async def list_pipeline_runs(
    devops: DevOps,
    pipelineId: PipelineId,
    project: Project = None,
    branch: Branch = None,
    status: Status = None,
    result: Result = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List the runs of a pipeline, newest first."""
    filters = {
        "definitions": pipelineId,
        "branchName": as_ref(branch),
        "statusFilter": status,
        "resultFilter": result,
    }
    return many(await builds(devops, project, filters, maxResults), listed_build)


@part.tool(Access.READ, harmless=("project", "pipelineId", "runId"))
async def get_pipeline_run(
    devops: DevOps,
    pipelineId: PipelineId,
    runId: RunId,
    project: Project = None,
    includeLogs: Annotated[bool, Field(description="With logs")] = False,
) -> Json:
    """Get a run with its stages; get_build_failures says why it failed."""
    place = devops.project(project)
    run = await run_of(devops, place, pipelineId, runId)
    timeline = await timeline_of(devops, place, runId)
    logs = named_logs(await logs_of(devops, place, runId), timeline) if includeLogs else None
    return one(without_secrets(run), single_build, stages=timeline.stages, logs=logs)


async def _started(devops: DevOps, pipelineId: int, project: Project = None, branch: str | None = None) -> Preview:
    return await start_preview(devops, devops.project(project), pipelineId, as_ref(branch))


@part.tool(
    Access.WRITE,
    previewed=_started,
    destroys=may_deploy,
    harmless=("project", "pipelineId", "branch", "stagesToSkip"),
)
async def run_pipeline(
    devops: DevOps,
    pipelineId: PipelineId,
    project: Project = None,
    branch: Branch = None,
    variables: NamedValues = None,
    parameters: Annotated[dict[str, str] | None, Field(description="Of the YAML, by name")] = None,
    stagesToSkip: Annotated[list[str] | None, Field(max_length=50, description="By name")] = None,
) -> Json:
    """Start a run of a pipeline."""
    ref = as_ref(branch)
    body = {
        "resources": {"repositories": {"self": {"refName": ref}}} if ref else None,
        "templateParameters": checked(parameters),
        "variables": as_variables(variables),
        "stagesToSkip": stagesToSkip or None,
    }
    place = {"project": devops.project(project), "pipelineId": pipelineId}
    given = {name: value for name, value in body.items() if value is not None}
    return one(await devops.json(Request("POST /{project}/_apis/pipelines/{pipelineId}/runs", place, body=given)), _RUN)


async def _canceled(devops: DevOps, pipelineId: int, runId: int, project: Project = None) -> Preview:
    place = devops.project(project)
    run = await run_of(devops, place, pipelineId, runId)
    return run_preview(place, run, "Run", {"is stopped": "what it has done so far stays, the rest is not done"})


@part.tool(Access.DESTROY, previewed=_canceled, harmless=("project", "pipelineId", "runId"))
async def cancel_pipeline_run(devops: DevOps, pipelineId: PipelineId, runId: RunId, project: Project = None) -> Json:
    """Cancel a run that is queued or running."""
    place = devops.project(project)
    await run_of(devops, place, pipelineId, runId)
    return one(await cancel(devops, place, runId), single_build)


@part.tool(Access.READ, harmless=("project", "pipelineId", "runId", "logId"))
async def get_pipeline_logs(
    devops: DevOps,
    pipelineId: PipelineId,
    runId: RunId,
    project: Project = None,
    logId: LogId = None,
    startLine: StartLine = None,
    endLine: EndLine = None,
    pattern: PatternText = None,
    context: Context = 2,
) -> Json:
    """List the logs of a run by step, read one, or find lines."""
    place, wanted = devops.project(project), Wanted.of(startLine, endLine, pattern, context)
    await run_of(devops, place, pipelineId, runId)
    return await read_logs(devops, place, runId, logId, wanted)
