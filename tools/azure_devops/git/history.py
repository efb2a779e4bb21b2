"""Commits and pushes."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from clients.azure_devops.paging import SEARCH_SKIP, SKIP, BySkip
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.git.files import BranchIfAny
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, many, one, shape
from tools.azure_devops.shared.git_references import REPOSITORY, full_name, place_of, version
from tools.azure_devops.shared.parameters import MaxResults, Project, Repository

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
    repository: Repository,
    project: Project = None,
    branch: BranchIfAny = None,
    author: Annotated[str | None, Field(description="Name or e-mail")] = None,
    path: Annotated[str | None, Field(description="Of a file")] = None,
    fromDate: Since = None,
    toDate: Since = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List who committed what, newest first."""
    query = {
        **version(branch, "searchCriteria.itemVersion.version"),
        "searchCriteria.author": author,
        "searchCriteria.itemPath": path,
        "searchCriteria.fromDate": fromDate,
        "searchCriteria.toDate": toDate,
    }
    request = Request(f"GET {REPOSITORY}/commits", place_of(devops, project, repository), query)
    return many(await devops.page(request, SEARCH_SKIP, maxResults), SHOWN_COMMIT)


@part.tool(Access.READ, harmless=("project", "repository", "commitId"))
async def get_commit(
    devops: DevOps,
    repository: Repository,
    commitId: Annotated[str, Field(description="Its id")],
    project: Project = None,
    includeChanges: Annotated[bool | None, Field(description="With files changed")] = None,
) -> Json:
    """Get a commit."""
    place = place_of(devops, project, repository) | {"commitId": commitId}
    commit = await devops.json(Request(f"GET {REPOSITORY}/commits/{{commitId}}", place))
    return one(commit, _WHOLE_COMMIT, **(await _changes(devops, place) if includeChanges else {}))


@part.tool(Access.READ, harmless=("project", "repository", "branch", "fromDate"))
async def list_pushes(
    devops: DevOps,
    repository: Repository,
    project: Project = None,
    branch: Annotated[str | None, Field(description="Only to this one")] = None,
    fromDate: Since = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List pushes, newest first: who moved which branch when."""
    query = {
        "searchCriteria.refName": full_name(branch) if branch else None,
        "searchCriteria.fromDate": fromDate,
        "searchCriteria.includeRefUpdates": True,
    }
    request = Request(f"GET {REPOSITORY}/pushes", place_of(devops, project, repository), query)
    return many(await devops.page(request, SKIP, maxResults), _PUSH)


async def _changes(devops: AzureDevOps, place: Json) -> Json:
    page = await devops.page(Request(f"GET {REPOSITORY}/commits/{{commitId}}/changes", place), _CHANGES, _MOST_CHANGES)
    more = f"It changes more than these {_MOST_CHANGES}." if page.has_more else None
    return {"changes": [_CHANGE(change) for change in page.items], "more": more}
