"""Reads the policies of branches, and previews the deletion of a branch."""

from __future__ import annotations

from typing import Any, Final

from changes.preview import Preview
from changes.undo import by_call
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, at, person
from tools.azure_devops.shared.git_references import REPOSITORY, short_name

_CONFIGURATIONS: Final = "GET /{project}/_apis/git/policy/configurations"


async def policies_of(devops: AzureDevOps, repository: Json, ref: str) -> list[str]:
    """Return the type names of the policies that protect a branch, or an empty list if no policy protects it."""
    project = str(at(repository, "project.name") or at(repository, "project.id"))
    query = {"repositoryId": repository["id"], "refName": ref}
    found: Any = await devops.json(DevOpsRequest(_CONFIGURATIONS, {"project": project}, query))
    blocking = [one for one in found.get("value") or () if one.get("isEnabled") is not False and one.get("isBlocking")]
    return sorted({str(at(one, "type.displayName") or "policy") for one in blocking})


def why_kept(repository: Json, ref: str, protecting: list[str]) -> str:
    """Return why another person must approve the deletion of a branch, or an empty string. `protecting` contains the
    policies of the branch.
    """
    if ref == repository.get("defaultBranch"):
        return "The branch is the default branch."
    return f"{short_name(ref)} is protected." if protecting else ""


async def branch_deletion(devops: AzureDevOps, repository: Json, place: Json, ref: Json) -> Preview:
    """Preview the deletion of a branch: its last commit, and the commits that exist nowhere else."""
    name = short_name(str(ref["name"]))
    protecting = await policies_of(devops, repository, str(ref["name"]))
    standing = await _standing(devops, place, name)
    creator = ref.get("creator")
    return Preview(
        what=f"Branch {name} of {repository.get('name')}",
        sentence=f"Delete the branch {name} of {repository.get('name')}",
        undo=by_call(
            "create_branch",
            repository=repository.get("name"),
            name=name,
            project=at(repository, "project.name"),
            sourceCommitId=ref["objectId"],
        ),
        facts={
            "last commit": ref["objectId"],
            "message": at(standing, "commit.comment"),
            "author": at(standing, "commit.author.name"),
            "date": at(standing, "commit.author.date"),
            "commits not in the default branch": standing.get("aheadCount"),
            "policies": protecting,
            "locked": ref.get("isLocked") or None,
        },
        affected=[str(person(creator))] if creator else [],
        places={"project": at(repository, "project.name"), "repository": repository.get("name"), "branch": name},
        grave=why_kept(repository, str(ref["name"]), protecting),
        missing=[] if standing else ["distance from the default branch"],
    )


async def _standing(devops: AzureDevOps, place: Json, name: str) -> Json:
    """Return how many commits a branch is ahead of and behind the default branch, or an empty record if this is
    unknown.
    """
    try:
        return await devops.json(DevOpsRequest(f"GET {REPOSITORY}/stats/branches", place, {"name": name}))
    except Refusal:
        return {}
