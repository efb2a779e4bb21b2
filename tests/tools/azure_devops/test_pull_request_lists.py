"""Pull requests as people look for them: waiting for me, closed since, merged into, and in whichever repository."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.git_store import NO_COMMIT, Repository
from tests.fakes.azure_devops.routes import Json
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.golden import Case, Scripted

GRACE = "grace.brewster@example.com"


def branched(repository: Repository, name: str) -> None:
    main = repository.refs["refs/heads/main"]
    made = repository.commit({**repository.tree(main), f"/{name}": b"x\n"}, [main], name, "Ada Byron")
    repository.move(f"refs/heads/{name}", NO_COMMIT, made, "Ada Byron")


@pytest.fixture
def repositories(azure_devops: FakeAzureDevOps) -> None:
    for project, name in (("Web", "shop"), ("Web", "oven"), ("Shop floor", "till")):
        added = azure_devops.git.add(project, name, {"/README.md": b"# It\n"})
        for branch in ("one", "two"):
            branched(added, branch)


async def opened(caller: Caller, project: str, repository: str, branch: str = "one", **more: Any) -> int:
    wanted = {"sourceBranch": branch, "targetBranch": "main", "title": branch}
    made = await given(caller, "create_pull_request", project=project, repository=repository, **wanted, **more)
    return int(made["id"])


def asked_for_lists(azure_devops: FakeAzureDevOps) -> list[str]:
    return [
        asked.path for asked in azure_devops.asked if asked.path.endswith("/pullrequests") and asked.method == "GET"
    ]


def numbers(answer: Json) -> list[int]:
    return [entry["id"] for entry in answer["items"]]


@pytest.mark.usefixtures("repositories")
async def test_all_that_waits_for_my_review_is_one_call_over_the_organization(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    waiting = [
        await opened(caller, "Web", "shop", reviewers=["ada.byron@example.com", GRACE]),
        await opened(caller, "Shop floor", "till", reviewers=["ada.byron@example.com"]),
    ]
    approved = await opened(caller, "Web", "oven", reviewers=["ada.byron@example.com"])
    await opened(caller, "Web", "oven", "two", reviewers=[GRACE])
    await given(caller, "vote_pull_request", project="Web", repository="oven", pullRequestId=approved, vote="approve")
    azure_devops.asked.clear()
    found = await given(caller, "list_pull_requests", project="*", reviewerId="@Me", awaitsVote=True)
    assert numbers(found) == sorted(waiting, reverse=True)
    assert [(entry["project"], entry["repository"]) for entry in found["items"]] == [
        ("Shop floor", "till"),
        ("Web", "shop"),
    ]
    assert found["read"] == "2 of 2 projects"
    assert sorted(asked_for_lists(azure_devops)) == [
        "/Shop%20floor/_apis/git/pullrequests",
        "/Web/_apis/git/pullrequests",
    ]
    assert numbers(await given(caller, "list_pull_requests", project="*", reviewerId="@Me")) == [3, 2, 1]
    assert "reviewerId is required" in await caller.told("list_pull_requests", awaitsVote=True)


@pytest.mark.usefixtures("repositories")
async def test_my_pull_requests_are_found_in_every_repository_of_the_default_project(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    for repository in ("shop", "oven"):
        await opened(caller, "Web", repository)
    await opened(caller, "Shop floor", "till")
    azure_devops.asked.clear()
    found = await given(caller, "list_pull_requests", creatorId="@Me")
    assert numbers(found) == [2, 1]
    assert found["scope"] == "Only project Web; project=* selects all projects."
    assert asked_for_lists(azure_devops) == ["/Web/_apis/git/pullrequests"]
    named = await given(caller, "list_pull_requests", project="Web")
    assert (numbers(named), "scope" in named, "read" in named) == ([2, 1], False, False)


@pytest.mark.usefixtures("repositories")
async def test_without_a_default_all_projects_are_meant(transport: Elsewhere, azure_devops: FakeAzureDevOps) -> None:
    async with calling(transport) as caller:
        for project, repository in (("Web", "shop"), ("Shop floor", "till")):
            await opened(caller, project, repository)
        found = await given(caller, "list_pull_requests", maxResults=1)
    assert (numbers(found), "more" in found, found["read"]) == ([2], True, "2 of 2 projects")
    assert len(azure_devops.pull_requests.opened) == 2


@pytest.mark.usefixtures("repositories")
async def test_closed_means_completed_and_abandoned_and_merged_only_completed(caller: Caller) -> None:
    merged = await opened(caller, "Web", "shop")
    left = await opened(caller, "Web", "shop", "two")
    await opened(caller, "Web", "oven")
    about = {"project": "Web", "repository": "shop"}
    await given(caller, "complete_pull_request", **about, pullRequestId=merged)
    await given(caller, "update_pull_request", **about, pullRequestId=left, status="abandoned")
    closed = await given(caller, "list_pull_requests", **about, status="closed")
    assert [(entry["id"], entry["status"]) for entry in closed["items"]] == [(left, "abandoned"), (merged, "completed")]
    assert all(entry["closed"] for entry in closed["items"])
    assert numbers(await given(caller, "list_pull_requests", status="merged")) == [merged]
    assert numbers(await given(caller, "list_pull_requests", status="merged", targetBranch="main")) == [merged]
    assert numbers(await given(caller, "list_pull_requests", status="merged", targetBranch="release")) == []


@pytest.mark.usefixtures("repositories")
async def test_what_was_closed_between_two_days_is_found_with_both_days(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    days = {"shop": "2026-03-01T00:00:00Z", "oven": "2026-03-31T23:59:00Z"}
    for repository, day in days.items():
        number = await opened(caller, "Web", repository)
        about = {"project": "Web", "repository": repository, "pullRequestId": number}
        await given(caller, "complete_pull_request", **about)
        azure_devops.pull_requests.opened[-1]["closedDate"] = day
    await opened(caller, "Web", "shop", "two")

    async def between(**times: str) -> list[int]:
        return numbers(await given(caller, "list_pull_requests", **times))

    assert await between(closedSince="2026-03-01", closedUntil="2026-03-31") == [2, 1]
    assert await between(closedSince="2026-03-02") == [2]
    assert await between(closedUntil="2026-03-31T12:00:00Z") == [1]
    assert await between(closedSince="2026-03-01", status="abandoned") == []
    assert "2026-01-31" in await caller.told("list_pull_requests", closedSince="last week")
    assert "Omit `status`" in await caller.told("list_pull_requests", closedSince="2026-03-01", status="active")


@pytest.mark.usefixtures("repositories")
async def test_linked_work_items_are_shown_on_request_in_one_call(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    bug = azure_devops.work_items.add("Web", "Bug", "The oven burns")
    await opened(caller, "Web", "shop", workItemIds=[bug])
    await opened(caller, "Shop floor", "till", workItemIds=[bug])
    bare = await opened(caller, "Web", "oven")
    found = await given(caller, "list_pull_requests", project="*", includeWorkItems=True)
    linked = {entry["id"]: entry.get("workItems") for entry in found["items"]}
    shown = [{"id": bug, "type": "Bug", "title": "The oven burns", "state": "New"}]
    assert linked == {1: shown, 2: shown, bare: None}
    assert len([asked for asked in azure_devops.asked if asked.path.endswith("workitemsbatch")]) == 1


@pytest.mark.usefixtures("repositories")
async def test_a_pull_request_is_found_by_its_number_alone(caller: Caller) -> None:
    number = await opened(caller, "Shop floor", "till")
    found = await given(caller, "get_pull_request", pullRequestId=number, includeCommits=True)
    assert (found["repository"], [commit["comment"] for commit in found["commits"]]) == ("till", ["one"])
    assert "/Shop%20floor/_git/till/" in found["link"]
    assert "TF401180" in await caller.told("get_pull_request", pullRequestId=99)
    assert "TF401180" in await caller.told("get_pull_request", pullRequestId=number, project="Web")


@pytest.mark.usefixtures("repositories")
async def test_a_project_that_cannot_be_read_is_named_and_hides_no_other(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    await opened(caller, "Web", "shop")
    azure_devops.places["/Shop%20floor/"] = troubles.forbidden
    found = await given(caller, "list_pull_requests", project="*")
    assert numbers(found) == [1]
    assert found["read"] == "1 of 2 projects"
    [lacking] = found["notRead"]
    assert lacking["names"] == ["Shop floor"]
    assert "does not permit this (403 AccessDeniedException)" in lacking["why"]
    azure_devops.places["/Web/"] = troubles.forbidden
    assert "None of the 2 projects" in await caller.told("list_pull_requests", project="*")
    assert "None of" not in await caller.told("list_pull_requests", project="Web")


ODD: tuple[Any, ...] = ("x", None, 7, [[]], ["x"], [None], {"a": 1}, True)


def _spoilt(record: Json) -> list[Json]:
    return [record | {name: odd} for name in record for odd in ODD]


@pytest.mark.parametrize(
    "odd", [*[[entry] for entry in ODD if entry is not None and not isinstance(entry, dict)], "x", 7, {"a": 1}]
)
async def test_a_list_of_what_is_no_record_is_told_in_words(odd: Any, scripted: Scripted, player: Caller) -> None:
    told = await _answered(scripted, player, odd)
    assert "is not a list of records" in told


async def test_a_record_of_odd_values_is_no_incident(scripted: Scripted, player: Caller) -> None:
    whole: Json = {
        "pullRequestId": 7,
        "title": "x",
        "createdBy": {"displayName": "Ada"},
        "reviewers": [{"displayName": "Ada", "id": "a", "vote": 10}],
        "repository": {"name": "shop", "project": {"name": "Web"}},
    }
    reviewers = [whole | {"reviewers": [entry]} for entry in _spoilt(whole["reviewers"][0])]
    for record in [*_spoilt(whole), *reviewers]:
        assert "incident" not in (await _answered(scripted, player, [record])).lower(), record


async def _answered(scripted: Scripted, player: Caller, value: Any) -> str:
    exchanges = [{"reply": {"count": 1, "value": value}}, *[{"reply": {"count": 0, "value": []}}] * 9]
    arguments = {"repository": "shop", "reviewerId": "a1111111-1111-1111-1111-111111111111", "awaitsVote": True}
    scripted.play(Case("odd", "list_pull_requests", arguments, exchanges, None, None), by_turns=True)
    result = await player.call("list_pull_requests", **arguments, includeWorkItems=True)
    return str(result["content"][0]["text"])
