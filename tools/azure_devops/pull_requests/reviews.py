"""Who reviews a pull request, and their votes."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from clients.azure_devops.messages import Request
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, present
from tools.azure_devops.shared.parameters import Project, Repository
from tools.azure_devops.shared.people import current_user, id_of
from tools.azure_devops.shared.pull_request_reading import (
    PULL_REQUEST,
    VOTES,
    PullRequestId,
    place_of_pull_request,
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


@part.tool(Access.DESTROY, harmless=("project", "repository", "pullRequestId"))
async def remove_pull_request_reviewer(
    devops: DevOps, repository: Repository, pullRequestId: PullRequestId, reviewer: Reviewer, project: Project = None
) -> Json:
    """Take a reviewer off a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    who = await id_of(devops, reviewer)
    await devops.send(Request(f"DELETE {_REVIEWER}", place | {"reviewerId": who}))
    return answer(pullRequestId=pullRequestId, removed=who)


@part.tool(Access.WRITE, harmless=("project", "repository", "pullRequestId", "vote"))
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
