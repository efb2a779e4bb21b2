"""Lists release definitions and releases, and creates releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from changes.preview import Preview
from clients.azure_devops.paging import HEADER_TOKEN, ListPage
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import new_release_preview
from tools.azure_devops.releases.records import (
    RELEASE,
    ReleaseId,
    listed_release,
    listed_release_definition,
    release_request,
    single_definition,
    single_release,
)
from tools.azure_devops.shared.answers import Json, Shape, many, one
from tools.azure_devops.shared.build_records import Folder, folder_path
from tools.azure_devops.shared.named_values import NamedValues, as_variables
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project
from tools.azure_devops.shared.withheld import without_secrets

part = Part()

DefinitionId = Annotated[int, Field(description="Definition id")]

# The service accepts the status of an environment only as a number.
_ENVIRONMENT_STATUSES: Final = {
    "notStarted": 1,
    "inProgress": 2,
    "succeeded": 4,
    "canceled": 8,
    "rejected": 16,
    "queued": 32,
    "scheduled": 64,
    "partiallySucceeded": 128,
}


class Artifact(BaseModel):
    alias: str
    version: str


@part.tool(Access.READ, harmless=("project", "path"))
async def list_release_definitions(
    devops: DevOps,
    project: Project = None,
    searchText: Annotated[str | None, Field(description="Part of the name")] = None,
    path: Folder = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List release definitions with their latest releases."""
    query = {"searchText": searchText, "path": folder_path(path), "$expand": "lastRelease"}
    request = release_request("GET /{project}/_apis/release/definitions", devops.project(project))
    page = await devops.page(replace(request, query=query), HEADER_TOKEN, maxResults)
    return _listed(page, listed_release_definition)


@part.tool(Access.READ, harmless=("project", "definitionId"))
async def get_release_definition(
    devops: DevOps, definitionId: DefinitionId, project: Project = None, detail: Detail = "summary"
) -> Json:
    """Get a release definition."""
    line = "GET /{project}/_apis/release/definitions/{definitionId}"
    definition = await devops.json(release_request(line, devops.project(project), definitionId=definitionId))
    return one(without_secrets(definition), single_definition, detail)


@part.tool(Access.READ, harmless=("project", "definitionId", "status", "environmentStatus"))
async def list_releases(
    devops: DevOps,
    project: Project = None,
    definitionId: Annotated[int | None, Field(description="Definition id")] = None,
    status: Annotated[Literal["draft", "active", "abandoned"] | None, Field(description="Only these")] = None,
    environmentStatus: Annotated[
        str | None, Field(description="Status of at least one environment, such as inProgress")
    ] = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List releases, newest first."""
    query = {
        "definitionId": definitionId,
        "statusFilter": status,
        "environmentStatusFilter": _number_of(environmentStatus),
        "$expand": "environments",
    }
    request = release_request("GET /{project}/_apis/release/releases", devops.project(project))
    page = await devops.page(replace(request, query=query), HEADER_TOKEN, maxResults)
    return _listed(page, listed_release)


@part.tool(Access.READ, harmless=("project", "releaseId"))
async def get_release(
    devops: DevOps, releaseId: ReleaseId, project: Project = None, detail: Detail = "summary"
) -> Json:
    """Get a release with its environments and pending approvals."""
    release = await devops.json(release_request(RELEASE, devops.project(project), releaseId=releaseId))
    return one(without_secrets(release), single_release, detail)


def _starts(meant: Mapping[str, Any]) -> bool:
    return not meant.get("isDraft")


@part.change(Access.WRITE, destroys=_starts, interrupts=_starts, harmless=("project", "definitionId", "isDraft"))
async def create_release(
    devops: DevOps,
    definitionId: DefinitionId,
    project: Project = None,
    description: Annotated[str | None, Field(description="Reason")] = None,
    artifacts: Annotated[
        list[Artifact] | None, Field(max_length=50, description="Versions are build ids; default: latest")
    ] = None,
    isDraft: Annotated[bool, Field(description="Do not start the release")] = False,
    variables: NamedValues = None,
) -> Change[Json]:
    """Create a release; its environments may deploy automatically."""
    where = devops.project(project)
    body: dict[str, Any] = {
        "definitionId": definitionId,
        "description": description,
        "artifacts": [
            {"alias": artifact.alias, "instanceReference": {"id": artifact.version}} for artifact in artifacts or ()
        ],
        "variables": as_variables(variables),
        "isDraft": isDraft,
        "reason": "none",
    }
    given = {name: value for name, value in body.items() if value not in (None, [])}

    async def preview() -> Preview:
        line = "GET /{project}/_apis/release/definitions/{definitionId}"
        definition = await devops.json(release_request(line, where, definitionId=definitionId))
        return new_release_preview(where, definition, is_draft=isDraft)

    async def apply() -> Json:
        request = release_request("POST /{project}/_apis/release/releases", where)
        created = await devops.json(replace(request, body=given))
        return one(without_secrets(created), single_release)

    return PlannedChange(preview, apply)


def _number_of(status: str | None) -> int | None:
    if status is None:
        return None
    if status not in _ENVIRONMENT_STATUSES:
        raise Refusal(f"{status!r} is not a valid environment status. Use one of: {', '.join(_ENVIRONMENT_STATUSES)}.")
    return _ENVIRONMENT_STATUSES[status]


def _listed(page: ListPage, form: Shape) -> Json:
    return many(ListPage(without_secrets(page.items), page.has_more), form)
