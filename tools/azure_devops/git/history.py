"""Lists commits and pushes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SEARCH_SKIP, SKIP, BySkip, ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.git.files import BranchIfAny
from tools.azure_devops.shared.answers import Json, Shape, many, one, shape
from tools.azure_devops.shared.git_references import REPOSITORY, full_name, place_of, version
from tools.azure_devops.shared.parameters import MaxResults, Project, Repository
from tools.azure_devops.shared.repositories import AnyRepository, KnownRepository, TopEntries, of_all_repositories
from tools.azure_devops.shared.scopes import Projects, place_of_one

part = Part()

Since = Annotated[str | None, Field(description="ISO date")]

SHOWN_COMMIT: Final = shape("commitId", "comment", author="author.name", date="author.date", changes="changeCounts")
_WHOLE_COMMIT: Final = shape(
    "commitId",
    "comment",
    "parents",
    author="author.name",
    mail="author.email",
    date="author.date",
    committer="committer.name",
    committed="committer.date",
    link="remoteUrl",
)
_CHANGE: Final = shape(path="item.path", change="changeType", was="sourceServerItem", type="item.gitObjectType")
_PUSH: Final = shape("pushId", "date", "pushedBy", "refUpdates")
_CHANGES: Final = BySkip(top="top", skip="skip", entries="changes")
_MOST_CHANGES: Final = 200


@part.tool(Access.READ, harmless=("project", "repository", "branch", "path", "fromDate", "toDate"))
async def list_commits(
    devops: DevOps,
    repository: AnyRepository = None,
    project: Projects = None,
    branch: BranchIfAny = None,
    author: Annotated[str | None, Field(description="Name or email")] = None,
    path: Annotated[str | None, Field(description="Only this path")] = None,
    fromDate: Since = None,
    toDate: Since = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List who committed what, newest first.

    Without `repository`, covers all repositories and lists those without commits.
    """
    query = {
        **version(branch, "searchCriteria.itemVersion.version"),
        "searchCriteria.author": author,
        "searchCriteria.itemPath": path,
        "searchCriteria.fromDate": fromDate,
        "searchCriteria.toDate": toDate,
    }
    history = _History("commits", query, SEARCH_SKIP, SHOWN_COMMIT)
    return await _newest(devops, project, repository, history, maxResults)


@part.tool(Access.READ, harmless=("project", "repository", "commitId"))
async def get_commit(
    devops: DevOps,
    repository: Repository,
    commitId: Annotated[str, Field(description="Its id")],
    project: Project = None,
    includeChanges: Annotated[bool | None, Field(description="With changed files")] = None,
) -> Json:
    """Get a commit."""
    place = place_of(devops, project, repository) | {"commitId": commitId}
    commit = await devops.json(DevOpsRequest(f"GET {REPOSITORY}/commits/{{commitId}}", place))
    return one(commit, _WHOLE_COMMIT, **(await _changes(devops, place) if includeChanges else {}))


@part.tool(Access.READ, harmless=("project", "repository", "branch", "fromDate"))
async def list_pushes(
    devops: DevOps,
    repository: AnyRepository = None,
    project: Projects = None,
    branch: Annotated[str | None, Field(description="Only pushes to this branch")] = None,
    fromDate: Since = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List pushes, newest first: who pushed which branch when.

    Without `repository`, covers all repositories and lists those without pushes.
    """
    query = {
        "searchCriteria.refName": full_name(branch) if branch else None,
        "searchCriteria.fromDate": fromDate,
        "searchCriteria.includeRefUpdates": True,
    }
    return await _newest(devops, project, repository, _History("pushes", query, SKIP, _PUSH), maxResults)


@dataclass(frozen=True, slots=True)
class _History:
    """A list that every repository has (for example its commits, newest first), and the format of the entries."""

    name: str
    query: Json
    paging: BySkip
    shape: Shape

    async def page(self, devops: AzureDevOps, place: Json, limit: int) -> ListPage:
        request = DevOpsRequest(f"GET {REPOSITORY}/{self.name}", place, self.query)
        return await devops.page(request, self.paging, limit)


async def _newest(
    devops: AzureDevOps, project: str | None, repository: str | None, history: _History, limit: int
) -> Json:
    """Return the newest entries of one repository, or of all repositories."""
    if repository:
        return many(await history.page(devops, place_of_one(devops, project, repository), limit), history.shape)

    async def read(known: KnownRepository) -> ListPage:
        page = await history.page(devops, known.place, limit)
        return ListPage([history.shape(entry) for entry in page.items], page.has_more)

    return await of_all_repositories(devops, project, read, TopEntries(limit=limit, by="date"))


async def _changes(devops: AzureDevOps, place: Json) -> Json:
    page = await devops.page(
        DevOpsRequest(f"GET {REPOSITORY}/commits/{{commitId}}/changes", place), _CHANGES, _MOST_CHANGES
    )
    more = f"Only the first {_MOST_CHANGES} changes are listed." if page.has_more else None
    return {"changes": [_CHANGE(change) for change in page.items], "more": more}
