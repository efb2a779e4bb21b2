"""Reads and formats pull requests. Several modules that define tools use this code."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SKIP, ListPage
from clients.azure_devops.records import records
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, answer, person, present, shape
from tools.azure_devops.shared.git_references import REPOSITORY, place_of

PULL_REQUEST: Final = f"{REPOSITORY}/pullRequests/{{pullRequestId}}"
# The specification writes this path in lowercase.
ITSELF: Final = f"{REPOSITORY}/pullrequests/{{pullRequestId}}"
MOST_POLICIES: Final = 100
VOTES: Final = {"approve": 10, "approveWithSuggestions": 5, "reset": 0, "waitForAuthor": -5, "reject": -10}

PullRequestId = Annotated[int, Field(description="Its id")]

_ID: Final = re.compile(r"\d{1,18}")
_VOTED: Final = {number: name for name, number in VOTES.items() if number}
_LISTED: Final = shape(
    "title",
    "status",
    id="pullRequestId",
    draft="isDraft",
    source="sourceRefName",
    target="targetRefName",
    by="createdBy",
    created="creationDate",
    closed="closedDate",
    merge="mergeStatus",
    repository="repository.name",
)
_WHOLE: Final = shape(
    "labels",
    sourceCommit="lastMergeSourceCommit.commitId",
    mergeCommit="lastMergeCommit.commitId",
    mergeFailure="mergeFailureMessage",
    autoCompleteBy="autoCompleteSetBy",
    completion="completionOptions",
)


def place_of_pull_request(devops: AzureDevOps, project: str | None, repository: str, number: int) -> Json:
    return place_of(devops, project, repository) | {"pullRequestId": number}


async def read(devops: AzureDevOps, place: Json, **query: Any) -> Json:
    """Read a complete pull request."""
    return await devops.json(DevOpsRequest(f"GET {ITSELF}", place, query))


async def evaluations(devops: AzureDevOps, place: Json, pull_request: Json, limit: int) -> ListPage:
    """Return the policies that a pull request must meet, each with its status."""
    of_project, number = pull_request["repository"]["project"]["id"], pull_request["pullRequestId"]
    query = {"artifactId": f"vstfs:///CodeReview/CodeReviewId/{of_project}/{number}"}
    line, project_only = "GET /{project}/_apis/policy/evaluations", {"project": place["project"]}
    return await devops.page(DevOpsRequest(line, project_only, query, version="7.1-preview.1"), SKIP, limit)


async def linked_ids(devops: AzureDevOps, place: Json) -> list[int]:
    """Return the ids of the work items linked to a pull request."""
    references = records((await devops.json(DevOpsRequest(f"GET {PULL_REQUEST}/workitems", place)))["value"])
    return [int(found) for reference in references if _ID.fullmatch(found := str(reference["id"]))]


async def refuse_merging_at_once(devops: AzureDevOps, place: Json, pull_request: Json) -> None:
    """Refuse auto-complete for a pull request without policies: the pull request would be merged immediately, without
    approval.
    """
    found = await evaluations(devops, place, pull_request, MOST_POLICIES)
    if not any(_holds_back(evaluation) for evaluation in found.items):
        raise Refusal(
            "This pull request has no policies to wait for, so it would be merged immediately. Use"
            " complete_pull_request, which asks the user."
        )


def _holds_back(evaluation: Any) -> bool:
    return bool(evaluation["configuration"]["isBlocking"]) and evaluation["status"] not in {"approved", "notApplicable"}


def listed_pull_request(record: Any) -> Json:
    return _LISTED(record) | present({"reviewers": [shown_reviewer(entry) for entry in reviewers_of(record)]})


def reviewers_of(record: Any) -> list[Any]:
    return records(record.get("reviewers"))


def shown_reviewer(reviewer: Any) -> Json:
    required = reviewer.get("isRequired") or None
    return present({"name": person(reviewer), "vote": vote_of(reviewer), "required": required})


def vote_of(reviewer: Any) -> str | None:
    vote = reviewer.get("vote")
    return _VOTED.get(vote) if isinstance(vote, int) else None


def shown_pull_request(devops: AzureDevOps, record: Any, **more: Any) -> Json:
    """Format a pull request as the answer from a tool that read or changed it."""
    repository = record["repository"]
    link = devops.organization.link(
        repository["project"]["name"], "_git", repository["name"], "pullrequest", record["pullRequestId"]
    )
    # The description is not converted from HTML: it is Markdown, which can also begin with a tag.
    description = record.get("description")
    return answer(**listed_pull_request(record), description=description, **_WHOLE(record), link=link, **more)
