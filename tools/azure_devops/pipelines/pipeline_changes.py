"""Creates and renames pipelines, and retries stages of their runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import by_call, by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import grave_by_name, may_deploy, run_preview
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

NewName = Annotated[str, Field(min_length=1, description="Its new name")]

_CREATED: Final = shape("id", "name", "folder", "revision", link="_links.web.href")


@part.change(
    Access.WRITE,
    destroys=may_deploy,
    harmless=("project", "pipelineId", "runId", "stage"),
)
async def retry_pipeline_stage(
    devops: DevOps,
    pipelineId: PipelineId,
    runId: RunId,
    stage: Annotated[str, Field(min_length=1, description="Stage name")],
    project: Project = None,
    allJobs: Annotated[bool, Field(description="Also succeeded jobs")] = False,
) -> Change[Json]:
    """Retry the failed jobs of a stage."""
    where = devops.project(project)
    run = await run_of(devops, where, pipelineId, runId)
    timeline = await timeline_of(devops, where, runId)
    values = {"project": where, "buildId": runId, "stage": timeline.stage(stage)}

    async def preview() -> Preview:
        grave = grave_by_name(stage, str(at(run, "definition.name")))
        shown = run_preview(where, run, f"Stage {stage} of run", {"all jobs": allJobs or None}, grave=grave)
        jobs = "all jobs" if allJobs else "the failed jobs"
        name = f"run {run.get('buildNumber')} of {at(run, 'definition.name')}"
        return replace(
            shown,
            sentence=f"Retry {jobs} of stage {stage} in {name}",
            # The environment is unknown: a stage can deploy to an environment of another name.
            places={**shown.places, "environment": None},
            destroys=bool(grave),
        )

    async def apply() -> Json:
        body = {"state": "retry", "forceRetryAllJobs": allJobs}
        await devops.json(
            DevOpsRequest("PATCH /{project}/_apis/build/builds/{buildId}/stages/{stage}", values, body=body)
        )
        return answer(id=runId, retried=stage, link=run["_links"]["web"]["href"])

    return PlannedChange(preview, apply)


@part.change(Access.WRITE, harmless=("project", "name", "repository", "folder"), undo=by_hand("delete it on the web"))
async def create_pipeline(
    devops: DevOps,
    name: NewName,
    repository: Annotated[str, Field(min_length=1, description="Name or id; for GitHub: owner/name")],
    yamlPath: Annotated[str, Field(min_length=1, description="Such as /azure-pipelines.yml")],
    project: Project = None,
    folder: Folder = None,
    connectionId: Annotated[
        str | None, Field(description="Id of the service connection; only for GitHub repositories")
    ] = None,
) -> StatedChange[Json]:
    """Create a pipeline from a YAML file."""

    async def apply() -> Json:
        place = devops.project(project)
        source = await _repository(devops, place, repository, connectionId)
        configuration = {"type": "yaml", "path": yamlPath, "repository": source}
        body = {"name": name, "folder": folder_path(folder or ""), "configuration": configuration}
        return one(
            await devops.json(DevOpsRequest("POST /{project}/_apis/pipelines", {"project": place}, body=body)), _CREATED
        )

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("project", "pipelineId", "name"))
async def rename_pipeline(
    devops: DevOps, pipelineId: PipelineId, name: NewName, project: Project = None
) -> Change[Json]:
    """Rename a pipeline."""
    request = definition_request(devops.project(project), pipelineId)
    # An update must contain the complete definition in the latest revision.
    before = await devops.json(request)

    async def preview() -> Preview:
        return Preview(
            what=f"Pipeline {before.get('name')}",
            sentence=f"Rename the pipeline {before.get('name')} to {name}",
            edits=[Edit("name", before.get("name"), name)],
            places={"project": at(before, "project.name") or devops.project(project)},
            destroys=False,
            undo=by_call(
                "rename_pipeline",
                pipelineId=pipelineId,
                name=before.get("name"),
                project=devops.project(project),
            ),
        )

    async def apply() -> Json:
        line = request.line.replace("GET", "PUT", 1)
        body = {**before, "name": name}
        return one(await devops.json(replace(request, line=line, body=body)), listed_definition)

    return PlannedChange(preview, apply)


async def _repository(devops: AzureDevOps, project: str, named: str, connection: str | None) -> dict[str, Any]:
    if connection:
        return {"type": "gitHub", "fullName": named, "connection": {"id": connection}}
    place = {"project": project, "repositoryId": named}
    found = await devops.json(DevOpsRequest("GET /{project}/_apis/git/repositories/{repositoryId}", place))
    return {"type": "azureReposGit", "id": found["id"]}
