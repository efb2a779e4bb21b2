"""Reads merged pull requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from clients.answers import at
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SKIP
from incidents import event_kinds
from incidents.events import Event, commit_key, moment_of, short
from incidents.question import IncidentQuestion, written
from tools.incidents.sources.pipelines import person

_MOST: Final = 100
_LINE: Final = "GET /{project}/_apis/git/pullrequests"
_BRANCH: Final = "refs/heads/"
# The branches from which teams usually deploy.
_MAIN: Final = ("main", "master", "prod", "release", "live", "trunk")

Read = Callable[[], Awaitable[list[Event]]]


def merged(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> Read:
    return partial(_merged, devops, asked, project)


async def _merged(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> list[Event]:
    criteria = {
        "status": "completed",
        "queryTimeRangeType": "closed",
        "minTime": written(asked.since),
        "maxTime": written(asked.until),
    }
    query = {f"searchCriteria.{name}": value for name, value in criteria.items()}
    page = await devops.page(DevOpsRequest(_LINE, {"project": project}, query), SKIP, _MOST)
    return [event for one in page.items if (event := _event(asked, project, one))]


def _event(asked: IncidentQuestion, project: str, one: Mapping[str, Any]) -> Event | None:
    moment = moment_of(one.get("closedDate"))
    if moment is None or not asked.has(moment):
        return None
    repository, number = str(at(one, "repository.name") or ""), one.get("pullRequestId")
    target = str(one.get("targetRefName") or "").removeprefix(_BRANCH)
    by, closed = person(one.get("createdBy")), person(one.get("closedBy"))
    commits = [at(one, f"{name}.commitId") for name in ("lastMergeCommit", "lastMergeSourceCommit")]
    return Event(
        at=moment,
        source="azure_devops_pull_requests",
        kind=event_kinds.MERGED if target.startswith(_MAIN) else event_kinds.BUILT,
        what=short(f"pull request {number} of {repository} merged into {target}: {one.get('title')}"),
        who=f"{by}, merged by {closed}" if closed and closed != by else by,
        keys=frozenset(commit_key(str(commit)) for commit in commits if commit),
        names=(repository,),
        repository=repository,
        see=short(f"get_pull_request project={project} repository={repository} pullRequestId={number}"),
    )
