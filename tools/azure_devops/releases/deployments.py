"""Starts and approves deployments of releases to their environments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from changes.preview import Fact, Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.paging import ByToken, ListPage
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import following, may_deploy, release_preview
from tools.azure_devops.releases.records import (
    RELEASE,
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


@part.change(
    Access.WRITE,
    destroys=may_deploy,
    interrupts=True,
    harmless=("project", "releaseId", "environmentId"),
)
async def deploy_release(
    devops: DevOps,
    releaseId: ReleaseId,
    environmentId: EnvironmentId,
    project: Project = None,
    comment: Comment = None,
) -> Change[Json]:
    """Deploy a release to one of its environments."""
    where = devops.project(project)

    async def preview() -> Preview:
        environment = await devops.json(environment_request(where, releaseId, environmentId))
        after = await _following(devops, where, releaseId, environment)
        return release_preview(where, environment, {}, "Deploy {}", after=after)

    async def apply() -> Json:
        line = "PATCH /{project}/_apis/Release/releases/{releaseId}/environments/{environmentId}"
        request = release_request(line, where, releaseId=releaseId, environmentId=environmentId)
        body = {"status": "inProgress", **({"comment": comment} if comment else {})}
        return one(without_secrets(await devops.json(replace(request, body=body))), single_environment)

    return PlannedChange(preview, apply)


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
    status: Annotated[
        Literal["pending", "approved", "rejected", "decided"], Field(description="Only these")
    ] = "pending",
    mine: Annotated[bool, Field(description="Only approvals for me or my groups")] = False,
    maxResults: MaxResults = 50,
) -> Json:
    """List pending or past release approvals: who approved or rejected, and when."""
    place, me = devops.project(project), await _me(devops) if mine else None
    states = ("approved", "rejected") if status == "decided" else (status,)
    pages = [await _approvals(devops, place, releaseId, state, maxResults, me) for state in states]
    found = [approval for page in pages for approval in page.items]
    if len(pages) > 1:
        found.sort(key=lambda approval: str(approval.get("modifiedOn")), reverse=True)
    is_cut = len(found) > maxResults or any(page.has_more for page in pages)
    return many(ListPage(found[:maxResults], is_cut), listed_approval)


def _lets_pass(meant: Mapping[str, Any]) -> bool:
    return bool(meant["status"] == "approved")


@part.change(
    Access.WRITE,
    destroys=_lets_pass,
    interrupts=_lets_pass,
    harmless=("project", "releaseId", "approvalId", "status"),
)
async def approve_release(
    devops: DevOps,
    releaseId: ReleaseId,
    approvalId: Annotated[int, Field(description="Approval id")],
    status: Annotated[Literal["approved", "rejected"], Field(description="Decision")],
    project: Project = None,
    comment: Comment = None,
) -> Change[Json]:
    """Approve or reject a deployment that waits for approval."""
    where = devops.project(project)
    pending = (await _approvals(devops, where, releaseId, "pending", _MOST_APPROVALS)).items
    approval = _approval_of(pending, releaseId, approvalId)

    async def preview() -> Preview:
        environment = await devops.json(environment_request(where, releaseId, approval["releaseEnvironment"]["id"]))
        is_approved = status == "approved"
        sentence = "Approve the deployment of {}" if is_approved else "Reject the deployment of {}"
        facts: dict[str, Fact] = {"decision": status}
        after = await _following(devops, where, releaseId, environment) if is_approved else []
        return release_preview(where, environment, facts, sentence, is_deploying=is_approved, after=after)

    async def apply() -> Json:
        line = "PATCH /{project}/_apis/release/approvals/{approvalId}"
        body = {"status": status, **({"comments": comment} if comment else {})}
        request = release_request(line, where, approvalId=approvalId)
        return one(await devops.json(replace(request, body=body)), listed_approval)

    return PlannedChange(preview, apply)


async def _following(devops: AzureDevOps, project: str, release_id: int, environment: Json) -> list[str]:
    release = await devops.json(release_request(RELEASE, project, releaseId=release_id))
    return following(release.get("environments") or (), str(environment.get("name")))


async def _me(devops: AzureDevOps) -> str:
    return str((await current_user(devops))["id"])


async def _approvals(
    devops: AzureDevOps, project: str, release_id: int | None, status: str, limit: int, of: str | None = None
) -> ListPage:
    mine = {"assignedToFilter": of, "includeMyGroupApprovals": True} if of else {}
    query = {"statusFilter": status, "releaseIdsFilter": release_id, "typeFilter": "all", **mine}
    request = release_request("GET /{project}/_apis/release/approvals", project)
    return await devops.page(replace(request, query=query), _APPROVALS, limit)


def _approval_of(pending: list[Json], release_id: int, approval_id: int) -> Json:
    """Find the pending approval of a release."""
    if found := next((one for one in pending if one["id"] == approval_id), None):
        return found
    waiting = ", ".join(f"{entry['id']} ({entry['releaseEnvironment']['name']})" for entry in pending) or "none"
    raise Refusal(f"Release {release_id} is not waiting for approval {approval_id}. Pending approvals: {waiting}.")
