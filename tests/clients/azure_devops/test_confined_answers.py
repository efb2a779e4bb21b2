"""Responses of Azure DevOps within a scope: what is looked up first, what is left of them, and what is said instead."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from clients.azure_devops.messages import JSON_PATCH, TEXT, DevOpsRequest
from refusal import Refusal
from tests.clients.azure_devops.confined_service import DOOR, DOOR_ONLY, VAULT, WEB, Service, answered, sent

TEAM: Final = "0f0f0f0f-0000-4000-8000-00000000000a"
READ_BUILD: Final = "GET /{project}/_apis/build/builds/{buildId}"
REPOSITORIES: Final = "GET /{project}/_apis/git/repositories"
FILE: Final = "git/repositories/{repositoryId}/items"


async def test_a_request_names_its_project_and_its_repository_by_their_ids() -> None:
    service = Service({FILE: {"path": "/x"}})
    await answered(service.limited(), f"GET /{{project}}/_apis/{FILE}", project="web", repositoryId="DOOR")
    assert service.sent[-1].values == {"project": "a1", "repositoryId": "d1"}
    assert (service.sent[-2].line, service.sent[-2].values) == (REPOSITORIES, {"project": "a1"})


async def test_a_project_that_is_not_in_the_path_limits_nothing() -> None:
    service = Service({"build/builds/{buildId}": {"id": 7}})
    with pytest.raises(Refusal, match="'build/builds' cannot be limited to them"):
        await answered(service.limited(), "GET /_apis/build/builds/{buildId}", project="Web", buildId=7)
    assert service.times("build/builds/{buildId}") == 0


@pytest.mark.parametrize(("locked", "times"), [({}, 0), (DOOR_ONLY, 1)])
async def test_the_pull_request_of_policies_is_read_if_only_some_repositories_are_in_scope(
    locked: dict[str, frozenset[str]], times: int
) -> None:
    service = Service({"policy/evaluations": [], "git/pullrequests/{pullRequestId}": {"repository": DOOR}})
    query = {"artifactId": "vstfs:///CodeReview/CodeReviewId/a1/7"}
    await answered(service.limited(**locked), "GET /{project}/_apis/policy/evaluations", query, project="Web")
    assert service.times("git/pullrequests/{pullRequestId}") == times


async def test_only_records_are_filtered_and_a_file_is_passed_on_as_it_is() -> None:
    content = json.dumps({"project": "Vault"}).encode()
    service = Service({FILE: content})
    request = DevOpsRequest(f"GET /{{project}}/_apis/{FILE}", {"project": "Web", "repositoryId": "door"}, accept=TEXT)
    assert (await sent(service.limited(), request)).content == content
    with pytest.raises(Refusal, match="Not found, or outside the allowed scope"):
        await answered(service.limited(), request.line, **request.values)


@pytest.mark.parametrize(
    ("line", "values", "locked", "is_told_apart"),
    [
        ("GET /_apis/wit/workItems/{id}", {"id": 1}, {}, False),
        ("GET /{project}/_apis/wit/workItems/{id}/comments", {"project": "Web", "id": 1}, {}, False),
        ("GET /{project}/_apis/pipelines/approvals/{approvalId}", {"project": "Web", "approvalId": "x"}, {}, False),
        ("GET /_apis/packaging/feeds/{feedId}", {"feedId": "x"}, {}, False),
        (READ_BUILD, {"project": "Web", "buildId": 7}, {}, True),
        (READ_BUILD, {"project": "Web", "buildId": 7}, DOOR_ONLY, False),
        (f"GET /{{project}}/_apis/{FILE}", {"project": "Web", "repositoryId": "door"}, DOOR_ONLY, True),
        ("GET /{project}/_apis/dashboard/dashboards/{id}", {"project": "Web", "id": "x"}, DOOR_ONLY, True),
    ],
)
async def test_what_is_missing_and_what_is_out_of_scope_are_the_same_where_both_are_possible(
    line: str, values: dict[str, Any], locked: dict[str, frozenset[str]], *, is_told_apart: bool
) -> None:
    service = Service({line.partition("/_apis/")[2]: 404})
    request = DevOpsRequest(line, values)
    if is_told_apart:
        assert (await sent(service.limited(**locked), request)).status == 404
    else:
        with pytest.raises(Refusal, match="ot found, or outside the allowed scope"):
            await sent(service.limited(**locked), request)


@pytest.mark.parametrize(
    ("looked_up", "resource", "values"),
    [
        ("projects", FILE, {"repositoryId": "door"}),
        ("git/repositories", FILE, {"repositoryId": "door"}),
        ("wit/workitemsbatch", "wit/workItems/{id}/comments", {"id": 1}),
    ],
)
async def test_what_cannot_be_looked_up_is_not_decided(looked_up: str, resource: str, values: dict[str, Any]) -> None:
    service = Service({resource: {"path": "/x"}, looked_up: 403})
    with pytest.raises(Refusal, match="403"):
        await answered(service.limited(), f"GET /{{project}}/_apis/{resource}", project="Web", **values)
    assert service.times(resource) == 0


@pytest.mark.parametrize("status", [300, 401, 403, 500])
async def test_another_failure_is_passed_on(status: int) -> None:
    service = Service({"wit/workItems/{id}": status})
    assert (await sent(service.limited(), DevOpsRequest("GET /_apis/wit/workItems/{id}", {"id": 1}))).status == status


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "No project is allowed."),
        (1, "Allowed projects: P0."),
        (30, f"Allowed projects: {', '.join(f'P{n}' for n in range(30))}."),
        (31, f"Allowed projects: {', '.join(f'P{n}' for n in range(30))}, and 1 more."),
        (35, f"Allowed projects: {', '.join(f'P{n}' for n in range(30))}, and 5 more."),
    ],
)
async def test_a_refusal_names_up_to_thirty_allowed_projects(count: int, said: str) -> None:
    names = [f"P{number}" for number in range(count)]
    service = Service({"projects": [VAULT, *({"id": name.lower(), "name": name} for name in names)]})
    with pytest.raises(Refusal) as refused:
        await answered(service.limited(projects=frozenset({"x", *names})), READ_BUILD, project="Vault", buildId=7)
    assert str(refused.value) == f"Project not found in the allowed scope. {said}"
    assert service.times("build/builds/{buildId}") == 0


async def test_a_new_project_is_found_and_a_known_one_is_not_looked_for_again() -> None:
    service = Service({"projects": [VAULT], "build/builds/{buildId}": {"id": 7}})
    with pytest.raises(Refusal, match="Project not found"):
        await answered(service.limited(), READ_BUILD, project="Web", buildId=7)
    service.has["projects"] = [VAULT, WEB]
    with pytest.raises(Refusal, match="Project not found"):
        await answered(service.limited(), READ_BUILD, project="Web", buildId=7)
    assert service.times("projects") == 1
    for service.now in (5.5, 100.0, 305.0):
        assert await answered(service.limited(), READ_BUILD, project="Web", buildId=7) == {"id": 7}
    assert service.times("projects") == 2
    service.now = 306.0
    await answered(service.limited(), READ_BUILD, project="Web", buildId=7)
    assert service.times("projects") == 3


async def test_a_new_repository_is_found_and_a_known_one_is_not_looked_for_again() -> None:
    service = Service({"git/repositories": [], FILE: {"path": "/x"}})
    place: Any = {"project": "Web", "repositoryId": "door"}
    for service.now in (0.0, 5.0):
        with pytest.raises(Refusal, match="Repository not found in the allowed scope"):
            await answered(service.limited(), f"GET /{{project}}/_apis/{FILE}", **place)
    assert service.times("git/repositories") == 1
    service.has["git/repositories"] = [DOOR]
    for service.now in (5.5, 100.0, 300.0):
        assert await answered(service.limited(), f"GET /{{project}}/_apis/{FILE}", **place) == {"path": "/x"}
    assert service.times("git/repositories") == 2


@pytest.mark.parametrize(
    ("team", "of", "times"), [(TEAM, "a1", 1), (TEAM.upper(), "a1", 1), (TEAM, "b2", 1), ("Web Team", "b2", 0)]
)
async def test_a_team_given_by_its_id_is_of_the_project(team: str, of: str, times: int) -> None:
    service = Service({"work/boards": [], "projects/{project}/teams/{team}": {"projectId": of}})
    for _ in range(2):
        request = DevOpsRequest("GET /{project}/{team}/_apis/work/boards", {"project": "Web", "team": team})
        if of == "b2" and times:
            with pytest.raises(Refusal, match=r"Team not found in Web\. list_teams lists the project's teams\."):
                await sent(service.limited(), request)
        else:
            assert (await sent(service.limited(), request)).document["value"] == []
    assert service.times("projects/{project}/teams/{team}") == times


async def test_entries_that_are_left_out_are_counted_in_lists_and_in_histories() -> None:
    rows = [{"project": "Web"}, {"project": "Vault"}, {"project": {"id": "b2"}}]
    changes = [
        {"id": 1, "fields": {"System.TeamProject": {"newValue": "Vault"}}},
        {"id": 2, "fields": {"System.TeamProject": {"oldValue": "Vault", "newValue": "Web"}}},
        {"id": 3},
        {"id": 4, "url": "https://dev.azure.com/acme/Vault/_apis/x"},
        {"id": 5},
    ]
    service = Service({"build/builds": rows, "wit/workItems/{id}/updates": changes, "build/tags": {"value": rows[:1]}})
    listed = await sent(service.limited(), DevOpsRequest("GET /{project}/_apis/build/builds", {"project": "Web"}))
    assert (listed.document["value"], listed.left_out) == (rows[:1], 2)
    whole = await sent(service.limited(), DevOpsRequest("GET /{project}/_apis/build/tags", {"project": "Web"}))
    assert whole.left_out == 0
    told = await sent(service.limited(), DevOpsRequest("GET /_apis/wit/workItems/{id}/updates", {"id": 1}))
    assert ([change["id"] for change in told.document["value"]], told.left_out) == ([3, 5], 3)


async def test_a_history_without_changes_is_an_empty_list() -> None:
    service = Service({"wit/workItems/{id}/updates": {"count": 0, "value": None}})
    told = await sent(service.limited(), DevOpsRequest("GET /_apis/wit/workItems/{id}/updates", {"id": 1}))
    assert told.document["value"] == []


async def test_later_changes_of_a_history_are_read_after_the_earlier_ones() -> None:
    service = Service({"wit/workItems/{id}/updates": [{"fields": {"System.TeamProject": {"newValue": "Web"}}}]})
    confined, line = service.limited(), "GET /_apis/wit/workItems/{id}/updates"
    with pytest.raises(Refusal, match="must be read from its beginning"):
        await answered(confined, line, {"$skip": 1}, id=1)
    assert len((await answered(confined, line, id=1))["value"]) == 1
    service.has["wit/workItems/{id}/updates"] = [{"id": 2}]
    assert (await answered(confined, line, {"$skip": 1}, id=1))["value"] == [{"id": 2}]


async def test_a_change_whose_answer_is_out_of_scope_is_said_to_be_made() -> None:
    service = Service({"wit/workItems/{id}": {"id": 1, "fields": {"System.TeamProject": "Vault"}}})
    patch = DevOpsRequest("PATCH /_apis/wit/workItems/{id}", {"id": 1}, body=[], content_type=JSON_PATCH)
    with pytest.raises(Refusal, match=r"accepted the change, but its response is outside .* Do not repeat the call"):
        await sent(service.limited(), patch)
    with pytest.raises(Refusal, match=r"^Work item 1 not found, or outside the allowed scope\.$"):
        await answered(service.limited(), "GET /_apis/wit/workItems/{id}", id=1)


@pytest.mark.parametrize(("line", "is_shown"), [("/_apis/wiki/wikis", False), ("/{project}/_apis/wiki/wikis", True)])
async def test_an_entry_without_its_project_is_shown_only_if_the_request_is_limited_to_one(
    line: str, *, is_shown: bool
) -> None:
    service = Service({"wiki/wikis": [{"name": "x"}, {"name": "y", "projectId": "a1"}]})
    found = await answered(service.limited(), f"GET {line}", project="Web")
    assert [wiki["name"] for wiki in found["value"]] == (["x", "y"] if is_shown else ["y"])
