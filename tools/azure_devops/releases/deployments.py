"""Deployments of releases to their environments: started and approved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.paging import ByToken, Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.previews.deployments import may_deploy, release_preview
from tools.azure_devops.provider import DevOps
from tools.azure_devops.releases.records import (
    EnvironmentId,
    ReleaseId,
    environment_request,
    listed_approval,
    release_request,
    single_environment,
)
from tools.azure_devops.shared.answers import Json, many, one
from tools.azure_devops.shared.parameters import Comment, MaxResults, Project
from tools.azure_devops.shared.people import current_user
from tools.azure_devops.shared.withheld import without_secrets

part = Part()

_APPROVALS: Final = ByToken(top="top")
_MOST_APPROVALS: Final = 100


async def _deployed(devops: DevOps, releaseId: int, environmentId: int, project: Project = None) -> Preview:
    place = devops.project(project)
    environment = await devops.json(environment_request(place, releaseId, environmentId))
    return release_preview(place, environment, {})


@part.tool(
    Access.WRITE,
    previewed=_deployed,
    destroys=may_deploy,
    harmless=("project", "releaseId", "environmentId"),
)
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
    releaseId: Annotated[int | None, Field(description="Its id")] = None,
    status: Annotated[Literal["pending", "approved", "rejected", "decided"], Field(description="Which")] = "pending",
    mine: Annotated[bool, Field(description="Only mine, and my groups'")] = False,
    maxResults: MaxResults = 50,
) -> Json:
    """List approvals that releases wait for, or who approved or rejected them and when."""
    place, me = devops.project(project), await _me(devops) if mine else None
    states = ("approved", "rejected") if status == "decided" else (status,)
    pages = [await _approvals(devops, place, releaseId, state, maxResults, me) for state in states]
    found = [approval for page in pages for approval in page.items]
    if len(pages) > 1:
        found.sort(key=lambda approval: str(approval.get("modifiedOn")), reverse=True)
    is_cut = len(found) > maxResults or any(page.has_more for page in pages)
    return many(Page(found[:maxResults], is_cut), listed_approval)


async def _decided(
    devops: DevOps,
    releaseId: int,
    approvalId: int,
    status: str,
    project: Project = None,
) -> Preview:
    place = devops.project(project)
    pending = (await _approvals(devops, place, releaseId, "pending", _MOST_APPROVALS)).items
    _refuse_other_approval(pending, releaseId, approvalId)
    [approval] = [one for one in pending if one["id"] == approvalId]
    environment = await devops.json(environment_request(place, releaseId, approval["releaseEnvironment"]["id"]))
    return release_preview(place, environment, {"decision": status}, is_deploying=status == "approved")


def _lets_pass(meant: Mapping[str, Any]) -> bool:
    return bool(meant["status"] == "approved")


@part.tool(
    Access.WRITE,
    previewed=_decided,
    destroys=_lets_pass,
    harmless=("project", "releaseId", "approvalId", "status"),
)
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


async def _me(devops: AzureDevOps) -> str:
    return str((await current_user(devops))["id"])


async def _approvals(
    devops: AzureDevOps, project: str, release_id: int | None, status: str, limit: int, of: str | None = None
) -> Page:
    mine = {"assignedToFilter": of, "includeMyGroupApprovals": True} if of else {}
    query = {"statusFilter": status, "releaseIdsFilter": release_id, "typeFilter": "all", **mine}
    request = release_request("GET /{project}/_apis/release/approvals", project)
    return await devops.page(replace(request, query=query), _APPROVALS, limit)


def _refuse_other_approval(pending: list[Json], release_id: int, approval_id: int) -> None:
    if any(approval["id"] == approval_id for approval in pending):
        return
    waiting = ", ".join(f"{entry['id']} ({entry['releaseEnvironment']['name']})" for entry in pending) or "none"
    raise Refusal(f"Release {release_id} does not wait for approval {approval_id}. It waits for: {waiting}.")
