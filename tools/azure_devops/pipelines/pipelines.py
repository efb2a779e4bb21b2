"""Lists, shows and starts pipelines and their runs. Each run is also a build and has the same id as the build."""

from __future__ import annotations

from typing import Annotated, Final

from changes.preview import Preview
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import cancellation_preview, may_deploy, start_preview
from tools.azure_devops.shared.answers import Json, many, one, shape
from tools.azure_devops.shared.build_logs import (
    EndLine,
    LogId,
    LogSelection,
    StartLine,
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


@part.change(
    Access.WRITE,
    destroys=may_deploy,
    harmless=("project", "pipelineId", "branch", "stagesToSkip"),
)
async def run_pipeline(
    devops: DevOps,
    pipelineId: PipelineId,
    project: Project = None,
    branch: Branch = None,
    variables: NamedValues = None,
    parameters: Annotated[dict[str, str] | None, Field(description="YAML values by name")] = None,
    stagesToSkip: Annotated[list[str] | None, Field(max_length=50, description="By name")] = None,
) -> Change[Json]:
    """Start a run of a pipeline."""
    ref, where = as_ref(branch), devops.project(project)
    body = {
        "resources": {"repositories": {"self": {"refName": ref}}} if ref else None,
        "templateParameters": checked(parameters),
        "variables": as_variables(variables),
        "stagesToSkip": stagesToSkip or None,
    }
    given = {name: value for name, value in body.items() if value is not None}

    async def preview() -> Preview:
        return await start_preview(devops, where, pipelineId, ref)

    async def apply() -> Json:
        place = {"project": where, "pipelineId": pipelineId}
        request = DevOpsRequest("POST /{project}/_apis/pipelines/{pipelineId}/runs", place, body=given)
        return one(await devops.json(request), _RUN)

    return PlannedChange(preview, apply)


@part.change(Access.DESTROY, harmless=("project", "pipelineId", "runId"))
async def cancel_pipeline_run(
    devops: DevOps, pipelineId: PipelineId, runId: RunId, project: Project = None
) -> Change[Json]:
    """Cancel a run that is queued or running."""
    where = devops.project(project)
    run = await run_of(devops, where, pipelineId, runId)

    async def preview() -> Preview:
        return cancellation_preview(where, run, "Run")

    async def apply() -> Json:
        return one(await cancel(devops, where, runId), single_build)

    return PlannedChange(preview, apply)


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
    """List the logs of a run by step, read a log, or find lines."""
    place, selection = devops.project(project), LogSelection.of(startLine, endLine, pattern, context)
    await run_of(devops, place, pipelineId, runId)
    return await read_logs(devops, place, runId, logId, selection)
