"""Lists, shows and starts builds, and shows their definitions and logs."""

from __future__ import annotations

import json
from typing import Annotated

from changes.preview import Preview
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import cancellation_preview, may_deploy, start_preview
from tools.azure_devops.shared.answers import Json, many, one
from tools.azure_devops.shared.build_logs import EndLine, LogId, LogSelection, StartLine, read_logs
from tools.azure_devops.shared.build_records import (
    Branch,
    BuildId,
    Folder,
    PipelineId,
    Result,
    Status,
    as_ref,
    build_request,
    builds,
    cancel,
    definitions,
    listed_build,
    listed_definition,
    single_build,
)
from tools.azure_devops.shared.log_patterns import Context, PatternText
from tools.azure_devops.shared.named_values import NamedValues, checked
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project
from tools.azure_devops.shared.withheld import without_secrets

part = Part()


@part.tool(Access.READ, harmless=("project", "path"))
async def list_build_definitions(
    devops: DevOps,
    project: Project = None,
    path: Folder = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List build definitions, including pipelines."""
    found = await definitions(devops, project, path, None, maxResults)
    return many(found, listed_definition)


@part.tool(Access.READ, harmless=("project", "definitionId", "status", "result"))
async def list_builds(
    devops: DevOps,
    project: Project = None,
    definitionId: Annotated[int | None, Field(description="Its id")] = None,
    branch: Branch = None,
    status: Status = None,
    result: Result = None,
    requestedFor: Annotated[str | None, Field(description="Email or name")] = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List builds, newest first."""
    filters = {
        "definitions": definitionId,
        "branchName": as_ref(branch),
        "statusFilter": status,
        "resultFilter": result,
        "requestedFor": requestedFor,
    }
    return many(await builds(devops, project, filters, maxResults), listed_build)


@part.tool(Access.READ, harmless=("project", "buildId"))
async def get_build(devops: DevOps, buildId: BuildId, project: Project = None, detail: Detail = "summary") -> Json:
    """Get a build."""
    build = await devops.json(build_request(devops.project(project), buildId))
    return one(without_secrets(build), single_build, detail)


@part.change(Access.WRITE, destroys=may_deploy, harmless=("project", "definitionId", "branch"))
async def queue_build(
    devops: DevOps,
    definitionId: PipelineId,
    project: Project = None,
    branch: Branch = None,
    parameters: NamedValues = None,
) -> Change[Json]:
    """Start a build; run_pipeline also takes YAML parameters."""
    where, ref, values = devops.project(project), as_ref(branch), checked(parameters)
    body = {
        "definition": {"id": definitionId},
        # The service requires these values as a JSON string within the JSON body.
        **({"parameters": json.dumps(values)} if values else {}),
        **({"sourceBranch": ref} if ref else {}),
    }

    async def preview() -> Preview:
        return await start_preview(devops, where, definitionId, ref)

    async def apply() -> Json:
        request = DevOpsRequest("POST /{project}/_apis/build/builds", {"project": where}, body=body)
        return one(await devops.json(request), single_build)

    return PlannedChange(preview, apply)


@part.change(Access.DESTROY, harmless=("project", "buildId"))
async def cancel_build(devops: DevOps, buildId: BuildId, project: Project = None) -> Change[Json]:
    """Cancel a build that is queued or running."""
    where = devops.project(project)

    async def preview() -> Preview:
        return cancellation_preview(where, await devops.json(build_request(where, buildId)), "Build")

    async def apply() -> Json:
        return one(await cancel(devops, where, buildId), single_build)

    return PlannedChange(preview, apply)


@part.tool(Access.READ, harmless=("project", "buildId", "logId"))
async def get_build_logs(
    devops: DevOps,
    buildId: BuildId,
    project: Project = None,
    logId: LogId = None,
    startLine: StartLine = None,
    endLine: EndLine = None,
    pattern: PatternText = None,
    context: Context = 2,
) -> Json:
    """List the logs of a build by step, read a log, or find lines."""
    selection = LogSelection.of(startLine, endLine, pattern, context)
    return await read_logs(devops, devops.project(project), buildId, logId, selection)
