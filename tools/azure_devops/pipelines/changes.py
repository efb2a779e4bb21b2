"""Pipelines made and renamed, and stages of their runs repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.previews.deployments import grave_by_name, may_deploy, run_preview
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, at, one, shape
from tools.azure_devops.shared.build_records import (
    Folder,
    PipelineId,
    RunId,
    definition_request,
    folder_path,
    listed_definition,
    run_of,
)
from tools.azure_devops.shared.build_timeline import timeline_of
from tools.azure_devops.shared.parameters import Project

part = Part()

NewName = Annotated[str, Field(min_length=1, description="Name to give it")]

_CREATED: Final = shape("id", "name", "folder", "revision", link="_links.web.href")


async def _retried(devops: DevOps, pipelineId: int, runId: int, stage: str, project: Project = None) -> Preview:
    place = devops.project(project)
    run = await run_of(devops, place, pipelineId, runId)
    named = [stage, str(at(run, "definition.name"))]
    told = run_preview(place, run, f"Stage {stage} of run", {}, grave=grave_by_name(*named))
    return replace(told, places={**told.places, "environment": stage}, destroys=bool(grave_by_name(*named)))


@part.tool(
    Access.WRITE,
    previewed=_retried,
    destroys=may_deploy,
    harmless=("project", "pipelineId", "runId", "stage"),
)
async def retry_pipeline_stage(
    devops: DevOps,
    pipelineId: PipelineId,
    runId: RunId,
    stage: Annotated[str, Field(min_length=1, description="Stage name")],
    project: Project = None,
    allJobs: Annotated[bool, Field(description="Those that succeeded, too")] = False,
) -> Json:
    """Run the failed jobs of a stage again."""
    place = devops.project(project)
    run = await run_of(devops, place, pipelineId, runId)
    timeline = await timeline_of(devops, place, runId)
    values = {"project": place, "buildId": runId, "stage": timeline.stage(stage)}
    body = {"state": "retry", "forceRetryAllJobs": allJobs}
    await devops.json(Request("PATCH /{project}/_apis/build/builds/{buildId}/stages/{stage}", values, body=body))
    return answer(id=runId, retried=stage, link=run["_links"]["web"]["href"])


@part.tool(Access.WRITE, harmless=("project", "name", "repository", "folder"))
async def create_pipeline(
    devops: DevOps,
    name: NewName,
    repository: Annotated[str, Field(min_length=1, description="Name or id; of GitHub: owner/name")],
    yamlPath: Annotated[str, Field(min_length=1, description="Such as /azure-pipelines.yml")],
    project: Project = None,
    folder: Folder = None,
    connectionId: Annotated[str | None, Field(description="Service connection, for GitHub")] = None,
) -> Json:
    """Create a pipeline of a YAML file."""
    place = devops.project(project)
    source = await _repository(devops, place, repository, connectionId)
    configuration = {"type": "yaml", "path": yamlPath, "repository": source}
    body = {"name": name, "folder": folder_path(folder or ""), "configuration": configuration}
    return one(await devops.json(Request("POST /{project}/_apis/pipelines", {"project": place}, body=body)), _CREATED)


@part.tool(Access.WRITE, harmless=("project", "pipelineId", "name"))
async def rename_pipeline(devops: DevOps, pipelineId: PipelineId, name: NewName, project: Project = None) -> Json:
    """Rename a pipeline."""
    request = definition_request(devops.project(project), pipelineId)
    # The service takes a definition only whole, and refuses it if its revision is not the latest.
    definition = {**await devops.json(request), "name": name}
    line = request.line.replace("GET", "PUT", 1)
    return one(await devops.json(replace(request, line=line, body=definition)), listed_definition)


async def _repository(devops: AzureDevOps, project: str, named: str, connection: str | None) -> dict[str, Any]:
    if connection:
        return {"type": "gitHub", "fullName": named, "connection": {"id": connection}}
    place = {"project": project, "repositoryId": named}
    found = await devops.json(Request("GET /{project}/_apis/git/repositories/{repositoryId}", place))
    return {"type": "azureReposGit", "id": found["id"]}
