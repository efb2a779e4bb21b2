"""Responses of Azure DevOps within a scope: what is checked first, what is left of them, and what is said instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from clients.azure_devops.confinement.confined import ConfinedDevOps
from clients.azure_devops.messages import JSON_PATCH, TEXT, DevOpsAnswer, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock
from clients.kept import Kept
from refusal import Refusal

ORGANIZATION: Final = Organization.at("https://dev.azure.com/acme")
WEB, VAULT = {"id": "a1", "name": "Web"}, {"id": "b2", "name": "Vault"}
DOOR: Final = {"id": "d1", "name": "door", "project": WEB}
TEAM: Final = "0f0f0f0f-0000-4000-8000-00000000000a"
DOOR_ONLY: Final = {"repositories": frozenset({"door"})}
Query = Mapping[str, Any]
NO_QUERY: Final[Query] = {}
ITEM: Final = {"id": 1, "fields": {"System.TeamProject": "Web"}}


@dataclass
class Service:
    """Answers every request with what it has for the resource. A number is the status of a failure."""

    has: dict[str, Any] = field(default_factory=dict)
    sent: list[DevOpsRequest] = field(default_factory=list)
    now: float = 0.0
    kept: Kept = field(init=False)

    def __post_init__(self) -> None:
        self.has = {"projects": [WEB, VAULT], "git/repositories": [DOOR], "wit/workitemsbatch": [ITEM], **self.has}
        self.kept = Kept(lambda: self.now)

    async def send(
        self, _base_url: str, request: DevOpsRequest, _authorization: str, _largest: int | None = None
    ) -> DevOpsAnswer:
        self.sent.append(request)
        found = self.has[request.present_line.partition("/_apis/")[2]]
        document = {"value": found} if isinstance(found, list) else found
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        if isinstance(document, int):
            return DevOpsAnswer(document, {}, b'{"message": "No."}')
        return DevOpsAnswer(200, {"Content-Type": "application/json"}, content)

    def times(self, resource: str) -> int:
        return len([one for one in self.sent if one.present_line.endswith(f"/_apis/{resource}")])

    def limited(self, *, projects: frozenset[str] = frozenset({"Web"}), **locked: frozenset[str]) -> ConfinedDevOps:
        reach = DevOpsReach.within(ReachLock(projects=projects, **locked))
        return ConfinedDevOps(self, ORGANIZATION, reach, kept=self.kept)


async def sent(confined: ConfinedDevOps, request: DevOpsRequest) -> DevOpsAnswer:
    return await confined.send(ORGANIZATION.url(), request, "Bearer token")


async def answered(confined: ConfinedDevOps, line: str, query: Query = NO_QUERY, /, **values: Any) -> Any:
    return (await sent(confined, DevOpsRequest(line, values, query))).document


READ_BUILD: Final = "GET /{project}/_apis/build/builds/{buildId}"
FILE: Final = "git/repositories/{repositoryId}/items"


async def test_a_request_names_its_project_and_its_repository_by_their_ids() -> None:
    service = Service({FILE: {"path": "/x"}})
    await answered(service.limited(), f"GET /{{project}}/_apis/{FILE}", project="web", repositoryId="DOOR")
    assert service.sent[-1].values == {"project": "a1", "repositoryId": "d1"}


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
            with pytest.raises(Refusal, match=r"Team not found in Web\. list_teams lists its teams\."):
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


@pytest.mark.parametrize(("number", "is_sent"), [(1, True), (2, False), (3, False), ("x", False)])
async def test_a_change_mentions_only_work_items_in_scope(number: object, *, is_sent: bool) -> None:
    items = [ITEM, {"id": 2, "fields": {"System.TeamProject": "Vault"}}]
    service = Service({"wit/workitemsbatch": items, "wit/workItems/{id}": ITEM})
    body = [{"op": "add", "path": "/fields/System.Parent", "value": number}]
    patch = DevOpsRequest("PATCH /_apis/wit/workItems/{id}", {"id": 1}, body=body, content_type=JSON_PATCH)
    if is_sent:
        assert (await sent(service.limited(), patch)).document == ITEM
    else:
        with pytest.raises(Refusal, match="not found, or outside the allowed scope"):
            await sent(service.limited(), patch)
    assert service.times("wit/workItems/{id}") == is_sent


@pytest.mark.parametrize(
    ("repository", "locked", "is_sent"),
    [
        ("d1", {}, True),
        ("d1", DOOR_ONLY, True),
        ("s1", {}, False),
        ("s1", DOOR_ONLY, False),
        ("x1", {}, False),
    ],
)
async def test_a_change_mentions_only_repositories_in_scope(
    repository: str, locked: dict[str, frozenset[str]], *, is_sent: bool
) -> None:
    safe = {"id": "s1", "name": "safe", "project": VAULT}
    service = Service({"git/repositories": [DOOR, safe], "pipelines": {"id": 1}})
    body = {"name": "x", "configuration": {"repository": {"id": repository, "type": "azureReposGit"}}}
    create = DevOpsRequest("POST /{project}/_apis/pipelines", {"project": "Web"}, body=body)
    if is_sent:
        assert (await sent(service.limited(**locked), create)).document == {"id": 1}
    else:
        with pytest.raises(Refusal, match="names a repository outside the allowed scope"):
            await sent(service.limited(**locked), create)
    assert service.times("pipelines") == is_sent


@pytest.mark.parametrize(("line", "is_shown"), [("/_apis/wiki/wikis", False), ("/{project}/_apis/wiki/wikis", True)])
async def test_an_entry_without_its_project_is_shown_only_if_the_request_is_limited_to_one(
    line: str, *, is_shown: bool
) -> None:
    service = Service({"wiki/wikis": [{"name": "x"}, {"name": "y", "projectId": "a1"}]})
    found = await answered(service.limited(), f"GET {line}", project="Web")
    assert [wiki["name"] for wiki in found["value"]] == (["x", "y"] if is_shown else ["y"])


@pytest.mark.parametrize(("resource", "times"), [("build/tags", 0), ("pipelines/approvals", 1)])
async def test_builds_are_looked_up_only_where_they_decide(resource: str, times: int) -> None:
    service = Service({resource: [{"build": {"id": 7}}], "build/builds": [{"id": 7}]})
    found = await answered(service.limited(), f"GET /{{project}}/_apis/{resource}", project="Web")
    assert found["value"] == [{"build": {"id": 7}}]
    assert service.times("build/builds") == times


async def test_the_build_of_its_parts_is_read_once_in_a_call() -> None:
    parts = "build/builds/{buildId}/logs"
    service = Service({"build/builds/{buildId}": {"id": 7}, parts: []})
    confined = service.limited()
    for number in (7, 7, 8):
        await answered(confined, f"GET /{{project}}/_apis/{parts}", project="Web", buildId=number)
    assert service.times("build/builds/{buildId}") == 2
    await answered(service.limited(), f"GET /{{project}}/_apis/{parts}", project="Web", buildId=7)
    assert service.times("build/builds/{buildId}") == 3
