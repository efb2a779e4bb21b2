"""Who reviews a pull request, and their votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Edit, Preview
from clients.azure_devops.messages import Request
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.previews.pull_requests import about, facts_of
from tools.azure_devops.previews.pull_requests import vote as what_a_vote_does
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, present
from tools.azure_devops.shared.parameters import Project, Repository
from tools.azure_devops.shared.people import current_user, id_of
from tools.azure_devops.shared.pull_request_reading import (
    PULL_REQUEST,
    VOTES,
    PullRequestId,
    place_of_pull_request,
    read,
    reviewers_of,
    shown_reviewer,
)

part = Part()

Reviewer = Annotated[str, Field(description="E-mail, name or id")]
Vote = Literal["approve", "approveWithSuggestions", "waitForAuthor", "reject", "reset"]

_REVIEWER: Final = f"{PULL_REQUEST}/reviewers/{{reviewerId}}"


@part.tool(Access.WRITE, harmless=("project", "repository", "pullRequestId", "isRequired"))
async def add_pull_request_reviewer(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    reviewer: Reviewer,
    project: Project = None,
    isRequired: Annotated[bool | None, Field(description="Has to approve")] = None,
) -> Json:
    """Ask someone to review a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    who = await id_of(devops, reviewer)
    body = present({"id": who, "vote": 0, "isRequired": isRequired})
    request = Request(f"PUT {_REVIEWER}", place | {"reviewerId": who}, body=body)
    return answer(pullRequestId=pullRequestId, reviewer=shown_reviewer(await devops.json(request)))


async def _taken_off(
    devops: DevOps, repository: str, pullRequestId: int, reviewer: str, project: Project = None
) -> Preview:
    found = await read(devops, place_of_pull_request(devops, project, repository, pullRequestId))
    who = await id_of(devops, reviewer)
    there = next((shown_reviewer(one) for one in reviewers_of(found) if one.get("id") == who), None)
    if there is None:
        raise Refusal(f"{reviewer!r} does not review pull request {pullRequestId}. get_pull_request names who does.")
    told = ", ".join(f"{name}: {value}" for name, value in there.items())
    return about(found, facts_of(found), edits=[Edit("reviewer", told)])


@part.tool(Access.DESTROY, previewed=_taken_off, harmless=("project", "repository", "pullRequestId"))
async def remove_pull_request_reviewer(
    devops: DevOps, repository: Repository, pullRequestId: PullRequestId, reviewer: Reviewer, project: Project = None
) -> Json:
    """Take a reviewer off a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    who = await id_of(devops, reviewer)
    await devops.send(Request(f"DELETE {_REVIEWER}", place | {"reviewerId": who}))
    return answer(pullRequestId=pullRequestId, removed=who)


async def _voted(devops: DevOps, repository: str, pullRequestId: int, vote: Vote, project: Project = None) -> Preview:
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    return await what_a_vote_does(devops, place, await read(devops, place), vote)


def _agrees(meant: Mapping[str, Any]) -> bool:
    return VOTES[str(meant["vote"])] > 0


@part.tool(
    Access.WRITE,
    previewed=_voted,
    destroys=_agrees,
    harmless=("project", "repository", "pullRequestId", "vote"),
)
async def vote_pull_request(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    vote: Annotated[Vote, Field(description="Your vote")],
    project: Project = None,
) -> Json:
    """Approve or reject a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    me = str((await current_user(devops))["id"])
    request = Request(f"PUT {_REVIEWER}", place | {"reviewerId": me}, body={"id": me, "vote": VOTES[vote]})
    return answer(pullRequestId=pullRequestId, reviewer=shown_reviewer(await devops.json(request)))
