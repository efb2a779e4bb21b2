"""Completes pull requests."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from changes.preview import Fact, Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import in_its_words
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.pull_requests import is_source_deleted, merge
from tools.azure_devops.pull_requests.requests import DeleteSource
from tools.azure_devops.shared.answers import Json, at, present
from tools.azure_devops.shared.parameters import Project, Repository
from tools.azure_devops.shared.pull_request_reading import (
    ITSELF,
    PullRequestId,
    place_of_pull_request,
    read,
    shown_pull_request,
)

part = Part()

Strategy = Literal["noFastForward", "squash", "rebase", "rebaseMerge"]

_ADVICE: Final = {
    "conflicts": "Resolve the conflicts on the source branch; compare_commits shows what changed in each branch.",
    "failure": "get_pull_request shows details.",
    "rejectedByPolicy": "list_pull_request_policies shows which policy is not met.",
}


@part.change(
    Access.DESTROY,
    harmless=("project", "repository", "pullRequestId", "mergeStrategy", "deleteSourceBranch", "bypassPolicy"),
)
async def complete_pull_request(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    project: Project = None,
    mergeStrategy: Annotated[Strategy | None, Field(description="Has a default")] = None,
    deleteSourceBranch: DeleteSource = None,
    commitMessage: Annotated[str | None, Field(description="Of the merge commit")] = None,
    bypassPolicy: Annotated[bool | None, Field(description="Requires bypassReason")] = None,
    bypassReason: Annotated[str | None, Field(description="Why")] = None,
    sourceCommit: Annotated[str | None, Field(description="Expected last commit")] = None,
) -> Change[Json]:
    """Merge a pull request. To close one without merging, use update_pull_request with status abandoned."""
    if bypassPolicy and not bypassReason:
        raise Refusal("Bypassing policies requires a reason: pass bypassReason.")
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    found = await _active(devops, place)
    commit = sourceCommit or _last_commit(found)
    is_deleted = is_source_deleted(found, deleteSourceBranch)
    options = {
        "mergeStrategy": mergeStrategy,
        "deleteSourceBranch": is_deleted or deleteSourceBranch,
        "mergeCommitMessage": commitMessage,
        "bypassPolicy": bypassPolicy,
        "bypassReason": bypassReason if bypassPolicy else None,
    }

    async def preview() -> Preview:
        _refuse_moved(found, commit)
        shown: dict[str, Fact] = {
            "source branch": "is deleted" if is_deleted else None,
            "bypasses policies": f"yes: {bypassReason}" if bypassPolicy else None,
            "strategy": mergeStrategy,
        }
        return await merge(devops, place, found, shown)

    async def apply() -> Json:
        return await _complete(devops, place, commit, present(options))

    return PlannedChange(preview, apply)


async def _active(devops: AzureDevOps, place: Json) -> Json:
    found = await read(devops, place)
    if found["status"] != "active":
        raise Refusal(f"Pull request {place['pullRequestId']} is already {found['status']}.")
    return found


def _refuse_moved(pull_request: Json, commit: str) -> None:
    last = _last_commit(pull_request)
    if commit != last:
        raise Refusal(f"The last commit of the pull request is now {last}, not {commit}. Nothing was changed.")


async def _complete(devops: AzureDevOps, place: Json, commit: str, options: Json) -> Json:
    # The service merges only the reviewed commit, even if new commits are pushed in the meantime.
    body = {"status": "completed", "lastMergeSourceCommit": {"commitId": commit}, "completionOptions": options}
    merged: Json = await devops.json(DevOpsRequest(f"PATCH {ITSELF}", place, body=body))
    # The service responds before it merges. The merge has usually finished by the time of the next request.
    merged = await read(devops, place) if merged["status"] == "active" else merged
    _refuse_unmerged(merged)
    pending = "The merge is queued: get_pull_request shows its result." if merged["status"] == "active" else None
    return shown_pull_request(devops, merged, next=pending)


def _last_commit(pull_request: Any) -> str:
    if commit := at(pull_request, "lastMergeSourceCommit.commitId"):
        return str(commit)
    raise Refusal(
        "Either Azure DevOps has not processed the commits of the pull request yet, or the source branch was deleted."
        " Try again in a moment; get_branch shows whether the branch exists."
    )


def _refuse_unmerged(pull_request: Any) -> None:
    outcome = pull_request.get("mergeStatus")
    if outcome in {"conflicts", "failure", "rejectedByPolicy"}:
        parts = [
            f"Pull request {pull_request['pullRequestId']} was not merged ({outcome}).",
            in_its_words(pull_request.get("mergeFailureMessage") or ""),
            _ADVICE[outcome],
        ]
        raise Refusal(" ".join(filter(None, parts)))
