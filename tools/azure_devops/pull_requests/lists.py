"""Lists pull requests of a repository, a project, or the whole organization."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SKIP, ListPage
from clients.side_by_side import Foremost, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, at, many, present, shape
from tools.azure_devops.shared.dates import Day, beginning, end
from tools.azure_devops.shared.git_references import REPOSITORY, full_name
from tools.azure_devops.shared.parameters import MOST_RESULTS, MaxResults
from tools.azure_devops.shared.people import id_of
from tools.azure_devops.shared.pull_request_reading import (
    linked_ids,
    listed_pull_request,
    reviewers_of,
    vote_of,
)
from tools.azure_devops.shared.repositories import AnyRepository
from tools.azure_devops.shared.scopes import Projects, place_of_one, project_names, scope_hint
from tools.azure_devops.shared.work_item_reading import listed_items

part = Part()

WantedStatus = Literal["active", "completed", "merged", "abandoned", "closed", "all"]
Someone = Annotated[str | None, Field(description="Email, id, @Me")]

# The service has no status that covers both completed and abandoned pull requests.
_MEANT: Final[dict[str, Sequence[str]]] = {"closed": ("completed", "abandoned"), "merged": ("completed",)}
# The minimum number of pull requests to read from a source if some of them are discarded afterwards.
_LOOKED_AT: Final = 200
_SECONDS_FOR_ITEMS: Final = 10.0
_ITEM: Final = shape("id", "type", "title", "state")


@part.tool(
    Access.READ,
    harmless=("project", "repository", "status", "sourceBranch", "targetBranch", "closedSince", "closedUntil"),
)
async def list_pull_requests(
    devops: DevOps,
    repository: AnyRepository = None,
    project: Projects = None,
    status: Annotated[WantedStatus | None, Field(description="Default: active; with closedSince: closed")] = None,
    creatorId: Someone = None,
    reviewerId: Someone = None,
    awaitsVote: Annotated[bool, Field(description="Only pull requests on which reviewerId has not voted")] = False,
    sourceBranch: Annotated[str | None, Field(description="Source branch")] = None,
    targetBranch: Annotated[str | None, Field(description="Target branch")] = None,
    closedSince: Day = None,
    closedUntil: Day = None,
    includeWorkItems: Annotated[bool, Field(description="Include linked work items")] = False,
    maxResults: MaxResults = 50,
) -> Json:
    """List pull requests of a repository, a project or all projects, newest first."""
    if awaitsVote and not reviewerId:
        raise Refusal("reviewerId is required to list pull requests awaiting a vote. For example, pass @Me.")
    closed = _Closed(beginning("closedSince", closedSince), end("closedUntil", closedUntil))
    people = await _people(devops, creatorId, reviewerId)
    branches = {"sourceRefName": sourceBranch, "targetRefName": targetBranch}
    refs = {name: full_name(branch) for name, branch in branches.items() if branch}
    search = _Search(_statuses(status, closed), people | refs | closed.criteria, awaitsVote, maxResults)
    sources = await _sources(devops, project, repository)
    found, said = await _found(devops, sources, search)
    items, lacking = await _linked(devops, found.items) if includeWorkItems else ({}, {})
    shown = [_shown(entry, items, is_of_many=len(sources) > 1) for entry in found.items]
    hint = None if repository else scope_hint(devops, project)
    return many(ListPage(shown, found.has_more), dict, **said, scope=hint, workItemsOf=lacking)


@dataclass(frozen=True, slots=True)
class _Closed:
    """The period in which pull requests were closed."""

    since: str | None
    until: str | None

    @property
    def criteria(self) -> Json:
        times = present({"minTime": self.since, "maxTime": self.until})
        return times | {"queryTimeRangeType": "closed"} if times else {}


@dataclass(frozen=True, slots=True)
class _Search:
    """The search criteria, and the number of results to return."""

    statuses: Sequence[str]
    criteria: Json
    awaits_vote: bool
    limit: int

    @property
    def queries(self) -> Iterator[Json]:
        for status in self.statuses:
            criteria = {"status": status, **self.criteria}
            yield {f"searchCriteria.{name}": value for name, value in criteria.items()}

    @property
    def depth(self) -> int:
        """The number of pull requests to read from a source.

        If the caller wants only pull requests that await a vote, the number can exceed the limit, because pull requests
        with a vote are discarded afterwards.
        """
        return max(self.limit, _LOOKED_AT) if self.awaits_vote else self.limit

    def wants(self, pull_request: Any) -> bool:
        """Check whether the reviewer still has to vote, personally or as a member of a group."""
        who = str(self.criteria.get("reviewerId")).lower()
        own = [entry for entry in reviewers_of(pull_request) if str(entry.get("id")).lower() == who]
        return not (self.awaits_vote and any(vote_of(entry) for entry in own))


def _statuses(status: WantedStatus | None, closed: _Closed) -> Sequence[str]:
    if closed.criteria and status == "active":
        raise Refusal("`closedSince` and `closedUntil` cannot be combined with status active. Omit `status`.")
    meant = status or ("closed" if closed.criteria else "active")
    return _MEANT.get(meant, (meant,))


async def _people(devops: AzureDevOps, creator: str | None, reviewer: str | None) -> Json:
    wanted = {"creatorId": creator, "reviewerId": reviewer}
    return {name: await id_of(devops, who) for name, who in wanted.items() if who}


async def _sources(devops: AzureDevOps, project: str | None, repository: str | None) -> dict[str, DevOpsRequest]:
    """Return one search request for the repository. If no repository is given, return one request for each project."""
    if repository:
        return {repository: DevOpsRequest(f"GET {REPOSITORY}/pullrequests", place_of_one(devops, project, repository))}
    line = "GET /{project}/_apis/git/pullrequests"
    return {name: DevOpsRequest(line, {"project": name}) for name in await project_names(devops, project)}


async def _found(devops: AzureDevOps, sources: Mapping[str, DevOpsRequest], search: _Search) -> tuple[ListPage, Json]:
    foremost = Foremost(search.limit, _number)

    async def ask(source: DevOpsRequest) -> None:
        requests = [replace(source, query=query) for query in search.queries]
        pages = [await devops.page(request, SKIP, search.depth) for request in requests]
        for page in pages:
            foremost.add(ListPage([entry for entry in page.items if search.wants(entry)], page.has_more))

    reading = await side_by_side(sources, ask)
    reading.refuse_if_none("projects")
    return foremost.page, reading.said("projects") if len(sources) > 1 else {}


async def _linked(devops: AzureDevOps, pull_requests: Iterable[Any]) -> tuple[dict[int, list[Json]], Json]:
    """Map the number of each pull request to its work items, and return a note on work items that were not read."""
    ids: dict[int, list[int]] = {}

    async def ask(pull_request: Any) -> None:
        project, repository = (at(pull_request, f"repository.{name}") for name in ("project.name", "name"))
        place = {"project": project, "repositoryId": repository, "pullRequestId": _number(pull_request)}
        ids[_number(pull_request)] = await linked_ids(devops, place)

    reading = await side_by_side(
        {str(_number(entry)): entry for entry in pull_requests}, ask, seconds=_SECONDS_FOR_ITEMS
    )
    wanted = list(dict.fromkeys(number for numbers in ids.values() for number in numbers))
    known = {item["id"]: _ITEM(item) for item in await listed_items(devops, wanted[:MOST_RESULTS])}
    items = {number: [known.get(one, {"id": one}) for one in numbers] for number, numbers in ids.items()}
    return items, reading.said("pull requests") if len(reading.read) < len(reading.names) else {}


def _number(pull_request: Any) -> int:
    number = pull_request.get("pullRequestId")
    return number if isinstance(number, int) else 0


def _shown(pull_request: Any, items: Mapping[int, list[Json]], *, is_of_many: bool) -> Json:
    project = at(pull_request, "repository.project.name") if is_of_many else None
    more = present({"project": project, "workItems": items.get(_number(pull_request))})
    return listed_pull_request(pull_request) | more
