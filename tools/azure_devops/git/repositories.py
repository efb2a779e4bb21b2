"""Lists and manages repositories and their branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from changes.preview import Preview
from changes.undo import Undo, by_call
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, SKIP, ByToken, ListPage
from clients.azure_devops.records import records
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.branches import branch_deletion
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
from tools.azure_devops.shared.repositories import (
    AnyRepository,
    KnownRepository,
    PartOfName,
    TopEntries,
    each_of,
    known_repositories,
    of_all_repositories,
)
from tools.azure_devops.shared.scopes import Projects, place_of_one

part = Part()

BranchName = Annotated[str, Field(description="Its name")]

_REPOSITORY: Final = shape("id", "name", "defaultBranch", "size", "isDisabled", project="project.name", link="webUrl")
_WHOLE_REPOSITORY: Final = shape(
    "id", "name", "defaultBranch", "size", "isDisabled", "remoteUrl", "sshUrl", project="project.name", link="webUrl"
)
_LAST_PUSH: Final = shape(lastPush="date", pushedBy="pushedBy")
# Refs are read in pages of the maximum size that the service allows.
_ALL_REFS: Final = ByToken(largest=1000)
_REF: Final = shape(commitId="objectId", locked="isLocked", creator="creator")
_STATISTICS: Final = shape(
    ahead="aheadCount",
    behind="behindCount",
    comment="commit.comment",
    author="commit.author.name",
    date="commit.author.date",
)


@part.tool(Access.READ, harmless=("project", "name", "includeActivity"))
async def list_repositories(
    devops: DevOps,
    project: Projects = None,
    name: PartOfName = None,
    includeActivity: Annotated[bool, Field(description="Include last push and number of branches")] = False,
    maxResults: MaxResults = 100,
) -> Json:
    """List Git repositories."""
    known = await known_repositories(devops, project, name)
    shown = known[:maxResults]
    activity, said = await _activity(devops, shown) if includeActivity else ({}, {})
    entries = [_REPOSITORY(entry.record) | activity.get(entry.title, {}) for entry in shown]
    page = ListPage(entries, len(known) > maxResults)
    return many(page, dict, **said)


@part.tool(Access.READ, harmless=("project", "repository"))
async def get_repository(devops: DevOps, repository: Repository, project: Project = None) -> Json:
    """Get a Git repository."""
    found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place_of(devops, project, repository)))
    return one(found, _WHOLE_REPOSITORY)


@part.tool(Access.READ, harmless=("project", "repository"))
async def list_branches(
    devops: DevOps,
    repository: AnyRepository = None,
    project: Projects = None,
    filter: Annotated[str | None, Field(description="Name prefix")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List branches, and how far each is from the default branch.

    Without `repository`, covers all repositories and lists those without branches.
    """
    query = {"filter": f"heads/{short_name(filter or '')}"}
    if not repository:
        return await _branches_everywhere(devops, project, query, maxResults)
    place = place_of_one(devops, project, repository)
    page = await devops.page(DevOpsRequest(f"GET {REPOSITORY}/refs", place, query), HEADER_TOKEN, maxResults)
    if not page.items:
        return many(page, dict)
    statistics, lacking = await _statistics(devops, place)
    branches = [_branch(ref, statistics.get(short_name(str(ref["name"])), {})) for ref in page.items]
    return many(ListPage(branches, page.has_more), dict, lacking=lacking)


@part.tool(Access.READ, harmless=("project", "repository", "branch"))
async def get_branch(devops: DevOps, repository: Repository, branch: BranchName, project: Project = None) -> Json:
    """Get a branch: its last commit, and distance from the default branch."""
    place = place_of(devops, project, repository)
    ref = await ref_of(devops, place, branch)
    request = DevOpsRequest(f"GET {REPOSITORY}/stats/branches", place, {"name": short_name(ref["name"])})
    return answer(**_branch(ref, await devops.json(request)))


def _deleted_again(meant: Mapping[str, Any]) -> Undo:
    return by_call("delete_branch", repository=meant["repository"], branch=meant["name"], project=meant.get("project"))


@part.change(
    Access.WRITE, harmless=("project", "repository", "name", "sourceBranch", "sourceCommitId"), undo=_deleted_again
)
async def create_branch(
    devops: DevOps,
    repository: Repository,
    name: BranchName,
    project: Project = None,
    sourceBranch: Annotated[str | None, Field(description="Has a default")] = None,
    sourceCommitId: Annotated[str | None, Field(description="Instead of sourceBranch")] = None,
) -> StatedChange[Json]:
    """Create a branch."""

    async def apply() -> Json:
        place = place_of(devops, project, repository)
        commit = sourceCommitId or await _tip(devops, place, sourceBranch)
        await move_ref(devops, place, full_name(name), NO_COMMIT, commit)
        return answer(name=short_name(name), commitId=commit)

    return StatedChange(apply)


@part.change(Access.DESTROY, harmless=("project", "repository", "branch"))
async def delete_branch(
    devops: DevOps, repository: Repository, branch: BranchName, project: Project = None
) -> Change[Json]:
    """Delete a branch."""
    place = place_of(devops, project, repository)
    ref = await ref_of(devops, place, branch)

    async def preview() -> Preview:
        return await branch_deletion(devops, await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place)), place, ref)

    async def apply() -> Json:
        await move_ref(devops, place, ref["name"], ref["objectId"], NO_COMMIT)
        return answer(deleted=short_name(ref["name"]), commitId=ref["objectId"])

    return PlannedChange(preview, apply)


async def _branches_everywhere(devops: AzureDevOps, project: str | None, query: Json, limit: int) -> Json:
    async def read(repository: KnownRepository) -> ListPage:
        page = await devops.page(DevOpsRequest(f"GET {REPOSITORY}/refs", repository.place, query), HEADER_TOKEN, limit)
        return ListPage([_branch(ref, {}) for ref in page.items], page.has_more)

    return await of_all_repositories(devops, project, read, TopEntries(limit=limit, by="project", descending=False))


async def _activity(devops: AzureDevOps, repositories: Sequence[KnownRepository]) -> tuple[dict[str, Json], Json]:
    """Return the last push and the number of branches of each repository, and which repositories failed."""
    found: dict[str, Json] = {}

    async def ask(repository: KnownRepository) -> None:
        refs = DevOpsRequest(f"GET {REPOSITORY}/refs", repository.place, {"filter": "heads/"})
        branches = await devops.page(refs, _ALL_REFS, _ALL_REFS.largest)
        pushes = await devops.page(DevOpsRequest(f"GET {REPOSITORY}/pushes", repository.place), SKIP, 1)
        number = f"more than {len(branches.items)}" if branches.has_more else len(branches.items)
        found[repository.title] = {"branches": number, **(_LAST_PUSH(pushes.items[0]) if pushes.items else {})}

    return found, (await each_of(repositories, ask)).said("repositories")


async def _statistics(devops: DevOps, place: Json) -> tuple[Json, str | None]:
    """Return how many commits each branch is ahead of and behind the default branch, or the reason why this is unknown.
    In large repositories, the service takes too long.
    """
    try:
        found = records((await devops.json(DevOpsRequest(f"GET {REPOSITORY}/stats/branches", place)))["value"])
    except Refusal as refusal:
        return {}, f"The distances from the default branch are unknown. {refusal}"
    return {str(entry["name"]): entry for entry in found}, None


async def _tip(devops: DevOps, place: Json, branch: str | None) -> str:
    """Return the last commit of a branch, or of the default branch if no branch is given."""
    source = branch or await default_branch(devops, place)
    if source is None:
        raise Refusal("The repository is empty. Create a first commit with push_changes.")
    return str((await ref_of(devops, place, source))["objectId"])


def _branch(ref: Any, statistics: Any) -> Json:
    return present({"name": short_name(str(ref["name"])), **_REF(ref), **_STATISTICS(statistics)})
