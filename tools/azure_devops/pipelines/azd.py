"""Deploys an azd environment with the pipeline that `azd pipeline config` created. The pipeline is identified by the
values of its variables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from changes.preview import Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import grave_by_name, start_preview
from tools.azure_devops.shared.answers import Json, answer, at
from tools.azure_devops.shared.build_records import Branch, as_ref
from tools.azure_devops.shared.parameters import Project

part = Part()

_MOST: Final = 1000
# The variables that `azd` reads, and the usual path of the pipeline file that `azd` creates.
_NAMES: Final = "AZURE_ENV_NAME"
_FILES: Final = ("/azure-dev.yml", "/azure-dev.yaml")

EnvironmentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9().-]{1,64}$", description="Such as shop-dev")]


async def pipeline_of_environment(devops: AzureDevOps, environment: str, project: str) -> Json:
    """Find the pipeline that deploys an environment.

    Raises:
        Refusal: No pipeline or several pipelines match. The message lists the candidates.
    """
    query = {"includeAllProperties": "true"}
    page = await devops.page(
        DevOpsRequest("GET /{project}/_apis/build/definitions", {"project": project}, query), HEADER_TOKEN, _MOST
    )
    found: list[Json] = [one for one in page.items if _deploys(one) == environment.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise Refusal(
            f"Several pipelines deploy this environment: {_named(found)}. Start one of them with run_pipeline."
        )
    of_azd = [one for one in page.items if _is_of_azd(one)]
    hint = (
        f" These azd pipelines do not set an environment: {_named(of_azd)}. Start one of them with run_pipeline."
        if of_azd
        else ""
    )
    raise Refusal(
        f"No pipeline in {project} has the variable {_NAMES} set to {environment!r}; `azd pipeline config` sets this"
        f" variable.{hint} If the code is on GitHub, use write_azd_command with `pipeline run`."
    )


def _deploys(definition: Json) -> str:
    return str(at(definition, f"variables.{_NAMES}.value") or "").lower()


def _is_of_azd(definition: Json) -> bool:
    return f"/{at(definition, 'process.yamlFilename') or ''}".endswith(_FILES) and not _deploys(definition)


def _named(definitions: list[Json]) -> str:
    return ", ".join(f"{one.get('name')} ({one.get('id')})" for one in definitions[:10])


async def _shown(devops: AzureDevOps, place: str, pipeline: Json, environment: str, ref: str | None) -> Preview:
    shown = await start_preview(devops, place, int(pipeline["id"]), ref)
    values = {
        f"variable {name}": at(pipeline, f"variables.{name}.value")
        for name in ("AZURE_LOCATION", "AZURE_SUBSCRIPTION_ID")
    }
    facts = {"environment": environment, "file": at(pipeline, "process.yamlFilename"), **values}
    return replace(
        shown,
        what=f"{shown.what}, which deploys {environment}",
        sentence=f"Deploy {environment}: {shown.sentence[:1].lower()}{shown.sentence[1:]}",
        facts={**shown.facts, **{name: value for name, value in facts.items() if value}},
        grave=shown.grave or grave_by_name(environment),
        destroys=True,
    )


@part.change(Access.DESTROY, harmless=("project", "environment", "branch"))
async def run_azd_pipeline(
    devops: DevOps, environment: EnvironmentName, project: Project = None, branch: Branch = None
) -> Change[Json]:
    """Deploy an azd environment with its Azure DevOps pipeline. Use get_pipeline_run to follow the run."""
    where, ref = devops.project(project), as_ref(branch)
    pipeline = await pipeline_of_environment(devops, environment, where)

    async def preview() -> Preview:
        return await _shown(devops, where, pipeline, environment, ref)

    async def apply() -> Json:
        body = {"resources": {"repositories": {"self": {"refName": ref}}}} if ref else {}
        values = {"project": where, "pipelineId": pipeline["id"]}
        run = await devops.json(DevOpsRequest("POST /{project}/_apis/pipelines/{pipelineId}/runs", values, body=body))
        return answer(
            environment=environment,
            pipeline=pipeline.get("name"),
            pipelineId=pipeline["id"],
            runId=run.get("id"),
            state=run.get("state"),
            follow=f"get_pipeline_run(pipelineId={pipeline['id']}, runId={run.get('id')})",
            link=at(run, "_links.web.href"),
        )

    return PlannedChange(preview, apply)
