"""Repositories and their branches."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure_devops.messages import Request
from clients.azure_devops.paging import HEADER_TOKEN, Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, many, one, present, shape
from tools.azure_devops.shared.git_references import (
    NO_COMMIT,
    REPOSITORY,
    default_branch,
    full_name,
    move_ref,
    place_of,
    ref_of,
    short_name,
)
from tools.azure_devops.shared.parameters import MaxResults, Project, Repository

part = Part()

BranchName = Annotated[str, Field(description="Its name")]

_REPOSITORY: Final = shape("id", "name", "defaultBranch", "size", "isDisabled", project="project.name", link="webUrl")
_WHOLE_REPOSITORY: Final = shape(
    "id", "name", "defaultBranch", "size", "isDisabled", "remoteUrl", "sshUrl", project="project.name", link="webUrl"
)
_REF: Final = shape(commitId="objectId", locked="isLocked", creator="creator")
_STATISTICS: Final = shape(
    ahead="aheadCount",
    behind="behindCount",
    comment="commit.comment",
    author="commit.author.name",
    date="commit.author.date",
)


@part.tool(Access.READ, harmless=("project",))
async def list_repositories(devops: DevOps, project: Project = None, maxResults: MaxResults = 100) -> Json:
    """List Git repositories."""
    request = Request("GET /{project}/_apis/git/repositories", {"project": devops.project_if_any(project)})
    found = (await devops.json(request))["value"]
    return many(Page(found[:maxResults], len(found) > maxResults), _REPOSITORY)


@part.tool(Access.READ, harmless=("project", "repository"))
async def get_repository(devops: DevOps, repository: Repository, project: Project = None) -> Json:
    """Get a Git repository."""
    found = await devops.json(Request(f"GET {REPOSITORY}", place_of(devops, project, repository)))
    return one(found, _WHOLE_REPOSITORY)


@part.tool(Access.READ, harmless=("project", "repository"))
async def list_branches(
    devops: DevOps,
    repository: Repository,
    project: Project = None,
    filter: Annotated[str | None, Field(description="They begin so")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List branches, and how far each is from the default branch."""
    place = place_of(devops, project, repository)
    query = {"filter": f"heads/{short_name(filter or '')}"}
    page = await devops.page(Request(f"GET {REPOSITORY}/refs", place, query), HEADER_TOKEN, maxResults)
    if not page.items:
        return many(page, dict)
    statistics, lacking = await _statistics(devops, place)
    branches = [_branch(ref, statistics.get(short_name(ref["name"]), {})) for ref in page.items]
    return many(Page(branches, page.has_more), dict, lacking=lacking)


@part.tool(Access.READ, harmless=("project", "repository", "branch"))
async def get_branch(devops: DevOps, repository: Repository, branch: BranchName, project: Project = None) -> Json:
    """Get a branch: its last commit, and how far it is from the default branch."""
    place = place_of(devops, project, repository)
    ref = await ref_of(devops, place, branch)
    request = Request(f"GET {REPOSITORY}/stats/branches", place, {"name": short_name(ref["name"])})
    return answer(**_branch(ref, await devops.json(request)))


@part.tool(Access.WRITE, harmless=("project", "repository", "name", "sourceBranch", "sourceCommitId"))
async def create_branch(
    devops: DevOps,
    repository: Repository,
    name: BranchName,
    project: Project = None,
    sourceBranch: Annotated[str | None, Field(description="Has a default")] = None,
    sourceCommitId: Annotated[str | None, Field(description="Instead of sourceBranch")] = None,
) -> Json:
    """Create a branch."""
    place = place_of(devops, project, repository)
    commit = sourceCommitId or await _tip(devops, place, sourceBranch)
    await move_ref(devops, place, full_name(name), NO_COMMIT, commit)
    return answer(name=short_name(name), commitId=commit)


@part.tool(Access.DESTROY, confirm="branch", harmless=("project", "repository", "branch"))
async def delete_branch(devops: DevOps, repository: Repository, branch: BranchName, project: Project = None) -> Json:
    """Delete a branch."""
    place = place_of(devops, project, repository)
    ref = await ref_of(devops, place, branch)
    await move_ref(devops, place, ref["name"], ref["objectId"], NO_COMMIT)
    return answer(deleted=short_name(ref["name"]), commitId=ref["objectId"])


async def _statistics(devops: DevOps, place: Json) -> tuple[Json, str | None]:
    """How far each branch is from the default one, or why that is not known: large repositories take too long."""
    try:
        found = (await devops.json(Request(f"GET {REPOSITORY}/stats/branches", place)))["value"]
    except Refusal as refusal:
        return {}, f"How far they are from the default branch is not known. {refusal}"
    return {entry["name"]: entry for entry in found}, None


async def _tip(devops: DevOps, place: Json, branch: str | None) -> str:
    """The last commit of a branch, or of the default one."""
    source = branch or await default_branch(devops, place)
    if source is None:
        raise Refusal("The repository is empty: there is nothing to branch from. push_changes makes a first commit.")
    return str((await ref_of(devops, place, source))["objectId"])


def _branch(ref: Any, statistics: Any) -> Json:
    return present({"name": short_name(ref["name"]), **_REF(ref), **_STATISTICS(statistics)})
