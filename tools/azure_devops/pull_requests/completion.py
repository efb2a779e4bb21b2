"""The end of a pull request: the merge."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Fact, Preview
from clients.azure_devops.failures import in_its_words
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.pull_requests import merge
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
    "conflicts": "Resolve the conflicts on the source branch; compare_commits shows what changed on either side.",
    "failure": "get_pull_request tells more.",
    "rejectedByPolicy": "list_pull_request_policies tells which policy is not met.",
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
    commitMessage: Annotated[str | None, Field(description="Of merge")] = None,
    bypassPolicy: Annotated[bool | None, Field(description="Needs bypassReason")] = None,
    bypassReason: Annotated[str | None, Field(description="Why")] = None,
    sourceCommit: Annotated[str | None, Field(description="Only if still the last")] = None,
) -> Change[Json]:
    """Merge a pull request. To close one without merging: update_pull_request, status abandoned."""
    if bypassPolicy and not bypassReason:
        raise Refusal("Bypassing policies requires a reason: pass bypassReason.")
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    found = await read(devops, place)
    if found["status"] != "active":
        raise Refusal(f"Pull request {pullRequestId} is {found['status']} already.")
    commit = sourceCommit or _last_commit(found)
    options = {
        "mergeStrategy": mergeStrategy,
        "deleteSourceBranch": deleteSourceBranch,
        "mergeCommitMessage": commitMessage,
        "bypassPolicy": bypassPolicy,
        "bypassReason": bypassReason if bypassPolicy else None,
    }
    # The service merges nothing but the commit that was looked at, whatever is pushed meanwhile.
    completing = {"commitId": commit}
    body = {"status": "completed", "lastMergeSourceCommit": completing, "completionOptions": present(options)}

    async def preview() -> Preview:
        if commit != _last_commit(found):
            raise Refusal(f"Its last commit is {_last_commit(found)} now, and not {commit}. Nothing was done.")
        shown: dict[str, Fact] = {
            "source branch": "is deleted" if deleteSourceBranch else None,
            "bypasses policies": f"yes: {bypassReason}" if bypassPolicy else None,
            "strategy": mergeStrategy,
        }
        return await merge(devops, place, found, shown)

    async def apply() -> Json:
        merged: Json = await devops.json(DevOpsRequest(f"PATCH {ITSELF}", place, body=body))
        # The service merges after it has answered; mostly it is done by the time that one asks again.
        merged = await read(devops, place) if merged["status"] == "active" else merged
        _refuse_unmerged(merged)
        pending = "The merge is queued: get_pull_request tells how it ended." if merged["status"] == "active" else None
        return shown_pull_request(devops, merged, next=pending)

    return PlannedChange(preview, apply)


def _last_commit(pull_request: Any) -> str:
    if commit := at(pull_request, "lastMergeSourceCommit.commitId"):
        return str(commit)
    raise Refusal(
        "Azure DevOps has not looked at its commits yet, or its source branch is gone. Try again in a moment;"
        " get_branch tells whether the branch is there."
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
