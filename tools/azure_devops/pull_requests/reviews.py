"""Manages the reviewers of pull requests and their votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call
from clients.azure_devops.messages import DevOpsRequest
from clients.folding import folded
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.pull_requests import about, automatic_merge, facts_of, merges_automatically
from tools.azure_devops.previews.pull_requests import vote as what_a_vote_does
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

Reviewer = Annotated[str, Field(description="Email, name or id")]
Vote = Literal["approve", "approveWithSuggestions", "waitForAuthor", "reject", "reset"]

_REVIEWER: Final = f"{PULL_REQUEST}/reviewers/{{reviewerId}}"


def _taken_off(meant: Mapping[str, Any]) -> Undo:
    given = {name: meant.get(name) for name in ("repository", "pullRequestId", "reviewer", "project")}
    return by_call("remove_pull_request_reviewer", **given)


@part.change(Access.WRITE, harmless=("project", "repository", "pullRequestId", "isRequired"), undo=_taken_off)
async def add_pull_request_reviewer(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    reviewer: Reviewer,
    project: Project = None,
    isRequired: Annotated[bool | None, Field(description="Must approve")] = None,
) -> StatedChange[Json]:
    """Ask someone to review a pull request."""

    async def apply() -> Json:
        place = place_of_pull_request(devops, project, repository, pullRequestId)
        who = await id_of(devops, reviewer)
        _refuse_release(_entry(await read(devops, place), who), is_required=bool(isRequired))
        body = present({"id": who, "vote": 0, "isRequired": isRequired})
        request = DevOpsRequest(f"PUT {_REVIEWER}", place | {"reviewerId": who}, body=body)
        return answer(pullRequestId=pullRequestId, reviewer=shown_reviewer(await devops.json(request)))

    return StatedChange(apply)


@part.change(Access.DESTROY, harmless=("project", "repository", "pullRequestId"))
async def remove_pull_request_reviewer(
    devops: DevOps, repository: Repository, pullRequestId: PullRequestId, reviewer: Reviewer, project: Project = None
) -> Change[Json]:
    """Remove a reviewer from a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    who = await id_of(devops, reviewer)

    async def preview() -> Preview:
        found = await read(devops, place)
        entry = _entry(found, who)
        if entry is None:
            raise Refusal(
                f"{reviewer!r} is not a reviewer of pull request {pullRequestId}. get_pull_request lists the reviewers."
            )
        there = shown_reviewer(entry)
        undo = _added_again(place, pullRequestId, who, there)
        edits = [Edit("reviewer", _in_words(there))]
        if merges_automatically(found) and _is_waited_for(entry):
            merging = await automatic_merge(devops, place, found, {}, edits=edits)
            return replace(merging, sentence=f"Remove reviewer {there.get('name')}. {merging.sentence}")
        shown = about(found, facts_of(found), undo, edits=edits)
        sentence = f"Remove {there.get('name')} from the reviewers of p{shown.what[1:]}"
        return replace(shown, sentence=sentence)

    async def apply() -> Json:
        await devops.send(DevOpsRequest(f"DELETE {_REVIEWER}", place | {"reviewerId": who}))
        return answer(pullRequestId=pullRequestId, removed=who)

    return PlannedChange(preview, apply)


def _entry(found: Json, who: str) -> Json | None:
    return next((one for one in reviewers_of(found) if folded(str(one.get("id"))) == folded(who)), None)


def _is_waited_for(entry: Json) -> bool:
    """Whether the merge waits for this reviewer."""
    return bool(entry.get("isRequired")) or (entry.get("vote") or 0) < 0


def _refuse_release(entry: Json | None, *, is_required: bool) -> None:
    """Refuse to add a reviewer again if the merge would then no longer wait for this reviewer.

    Raises:
        Refusal: The reviewer is already in the list, and would become optional or lose their vote.
    """
    if entry and (entry.get("vote") or (entry.get("isRequired") and not is_required)):
        raise Refusal(
            f"{shown_reviewer(entry).get('name')} is already a reviewer, and would become optional or lose their vote."
            " Nothing was changed. To do this, use remove_pull_request_reviewer first."
        )


def _added_again(place: Json, number: int, who: str, shown: Json) -> Undo:
    again = by_call(
        "add_pull_request_reviewer",
        repository=place["repositoryId"],
        pullRequestId=number,
        reviewer=who,
        project=place["project"],
        isRequired=shown.get("required") or None,
    )
    return again.but("their vote is lost") if shown.get("vote") else again


def _voted_again(place: Json, number: int, found: Json, who: str) -> Undo:
    """Return the call that restores the previous vote. Voting adds the caller to the reviewers."""
    entry = _entry(found, who)
    before = shown_reviewer(entry) if entry else None
    again = by_call(
        "vote_pull_request",
        repository=place["repositoryId"],
        pullRequestId=number,
        vote=(before or {}).get("vote") or "reset",
        project=place["project"],
    )
    return again if before else again.but("you stay a reviewer")


def _in_words(shown: Json) -> str:
    return ", ".join(f"{name}: {value}" for name, value in shown.items())


def _agrees(meant: Mapping[str, Any]) -> bool:
    return VOTES[str(meant["vote"])] > 0


@part.change(
    Access.WRITE,
    destroys=_agrees,
    harmless=("project", "repository", "pullRequestId", "vote"),
)
async def vote_pull_request(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    vote: Annotated[Vote, Field(description="Your vote")],
    project: Project = None,
) -> Change[Json]:
    """Approve or reject a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    me = str((await current_user(devops))["id"])

    async def preview() -> Preview:
        found = await read(devops, place)
        return await what_a_vote_does(devops, place, found, vote, _voted_again(place, pullRequestId, found, me))

    async def apply() -> Json:
        request = DevOpsRequest(f"PUT {_REVIEWER}", place | {"reviewerId": me}, body={"id": me, "vote": VOTES[vote]})
        return answer(pullRequestId=pullRequestId, reviewer=shown_reviewer(await devops.json(request)))

    return PlannedChange(preview, apply)
