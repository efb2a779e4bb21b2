"""Resolves names of repositories, branches and commits."""

from __future__ import annotations

import re
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import in_its_words
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.records import records
from refusal import Refusal
from tools.azure_devops.shared.answers import Json

REPOSITORY: Final = "/{project}/_apis/git/repositories/{repositoryId}"
# The id that means "no commit", used when a branch is created or deleted.
NO_COMMIT: Final = "0" * 40

_BRANCHES: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"
_COMMIT: Final = re.compile(r"[0-9a-f]{40}", re.IGNORECASE)
_MOST_ALIKE: Final = 100
_WHY_NOT: Final = {
    "staleOldObjectId": "The branch already exists, or has changed in the meantime. get_branch shows its commit.",
    "rejectedByPolicy": "A policy protects the branch. list_branch_policies lists the policies.",
    "invalidRefName": "The name is not valid for a branch.",
    "unresolvableToCommit": "Commit not found. list_commits lists the commits.",
    "locked": "It is locked.",
}


def place_of(devops: AzureDevOps, project: str | None, repository: str) -> Json:
    return {"project": devops.project(project), "repositoryId": repository}


def full_name(branch: str) -> str:
    """Return the full ref of a branch, given its name or ref."""
    return branch if branch.startswith("refs/") else f"{_BRANCHES}{branch}"


def short_name(ref: str) -> str:
    return ref.removeprefix(_BRANCHES)


def version(branch_or_commit: str | None, parameter: str) -> dict[str, str]:
    """Return the two parameters that select a commit, a tag or a branch, depending on the format of the text."""
    if not branch_or_commit:
        return {}
    if branch_or_commit.startswith(_TAGS):
        return {parameter: branch_or_commit.removeprefix(_TAGS), f"{parameter}Type": "tag"}
    kind = "commit" if _COMMIT.fullmatch(branch_or_commit) else "branch"
    return {parameter: short_name(branch_or_commit), f"{parameter}Type": kind}


async def find_ref(devops: AzureDevOps, place: Json, branch: str) -> Json | None:
    """Return the ref of a branch, or None. The service returns all refs that start with the name."""
    name = full_name(branch)
    query = {"filter": name.removeprefix("refs/"), "$top": _MOST_ALIKE}
    found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}/refs", place, query))
    return next((ref for ref in records(found["value"]) if ref["name"] == name), None)


async def ref_of(devops: AzureDevOps, place: Json, branch: str) -> Json:
    """Return the ref of a branch.

    Raises:
        Refusal: The branch is not found.
    """
    if ref := await find_ref(devops, place, branch):
        return ref
    raise Refusal(f"Branch {branch!r} not found. list_branches lists the branches.")


async def default_branch(devops: AzureDevOps, place: Json) -> str | None:
    """Return the default branch of a repository. An empty repository has no branch."""
    repository = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place))
    return str(repository.get("defaultBranch") or "") or None


async def move_ref(devops: AzureDevOps, place: Json, name: str, old: str, new: str) -> None:
    """Move a ref from one commit to another.

    Raises:
        Refusal: The service did not move the ref. The service reports this failure in a successful response.
    """
    body = [{"name": name, "oldObjectId": old, "newObjectId": new}]
    for result in (await devops.json(DevOpsRequest(f"POST {REPOSITORY}/refs", place, body=body)))["value"]:
        if not result.get("success"):
            status = result.get("updateStatus", "unknown")
            message = in_its_words(result.get("customMessage") or "")
            what = f"{short_name(name)!r} was not changed ({status})."
            raise Refusal(" ".join(filter(None, [what, message, _WHY_NOT.get(status)])))
