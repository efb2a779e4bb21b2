"""A reach, and the tools that ask many projects at once, or ask for what only its build says where it belongs."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.allowed_routes import wholes_of
from clients.azure_devops.confinement.bounds import Named, NameIndex, OrganizationBounds
from clients.azure_devops.confinement.entry_conditions import standing_of
from clients.azure_devops.confinement.sieve import DevOpsSieve
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock
from tests.sweeps import Sweep
from tests.tools.azure_devops.trying import WEB, filled, shown, told_apart, tried
from tests.tools.azure_devops.world import MARK, World

pytestmark = pytest.mark.anyio

OVEN: Final = {"ADO_ALLOWED_REPOSITORIES": "Web/oven"}
APPROVAL: Final = "0f11e000-0000-4000-8000-00000000000a"
FAILED: Final = {"outcome": "Failed", "testCaseTitle": "test of oven", "errorMessage": "It is cold"}


@pytest.fixture
def world() -> World:
    return World()


# What each names, from the outside: V is the id of Vault, S of its repository.
ATTEMPTS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("list_pull_requests", {"project": "Vault"}),
    ("list_pull_requests", {"project": "V", "reviewerId": "@Me", "awaitsVote": True}),
    ("list_pull_requests", {"project": "* ", "includeWorkItems": True}),
    ("list_pull_requests", {"repository": "safe"}),
    ("list_pull_requests", {"repository": "S", "project": "*"}),
    ("list_repositories", {"project": "V", "includeActivity": True}),
    ("list_branches", {"project": "Vault"}),
    ("list_branches", {"repository": "safe"}),
    ("list_commits", {"project": "vault", "author": "Ada"}),
    ("list_pushes", {"project": "V"}),
    ("list_pushes", {"repository": "S", "project": "Web"}),
    ("find_file", {"path": "/c.txt", "project": "Vault"}),
    ("find_file", {"path": "/c.txt", "project": "Web/../Vault"}),
    ("compare_commits", {"project": "Web", "repository": "S", "base": "main", "target": "main"}),
    ("compare_commits", {"repository": "safe", "base": "main", "target": "main", "includeDiffs": True}),
    ("compare_builds", {"project": "Vault", "fromBuildId": 1, "toBuildId": 2}),
    ("list_build_changes", {"project": "V", "buildId": 1}),
    ("list_failed_tests", {"project": "Vault", "buildId": 1}),
    ("get_build_failures", {"project": "V", "buildId": 1}),
    ("get_build_logs", {"project": "Vault", "buildId": 1, "pattern": "x"}),
    ("list_pipeline_approvals", {"project": "Vault"}),
    ("list_pipeline_approvals", {"project": "V", "mine": True}),
    ("list_pipeline_approvals", {"project": "Vault", "runId": 1}),
    ("get_pipeline_approval", {"project": "Vault", "approvalId": APPROVAL}),
    ("decide_pipeline_approval", {"project": "V", "approvalId": APPROVAL, "status": "approved"}),
    ("retry_pipeline_stage", {"project": "Vault", "pipelineId": 1, "runId": 1, "stage": "Build"}),
    ("create_pipeline", {"project": "Web", "name": "x", "repository": "S", "yamlPath": "/x.yml"}),
    ("create_pipeline", {"project": "Vault", "name": "x", "repository": "safe", "yamlPath": "/x.yml"}),
    ("list_iteration_items", {"project": "Vault"}),
    ("list_iteration_items", {"project": "Web", "team": "T"}),
    ("list_backlog_items", {"project": "V", "backlogId": "Microsoft.RequirementCategory"}),
    ("get_team_capacity", {"project": "Vault", "team": "Vault Team"}),
    ("get_team_capacity", {"project": "Web", "team": "T"}),
    ("set_team_capacity", {"project": "Web", "team": "T", "member": "@Me", "hoursPerDay": 1}),
    ("create_iteration", {"project": "Vault", "name": "Sprint 9"}),
    ("create_iteration", {"project": "Web", "name": "Sprint 9", "team": "T"}),
    ("create_iteration", {"project": "Web", "name": "Sprint 9", "parent": "Vault/Sprint 1"}),
    ("add_iteration_to_team", {"project": "V", "iteration": "Sprint 1", "team": "Vault Team"}),
    ("list_work_item_types", {"project": "Vault", "type": "Bug"}),
    ("query_work_items", {"project": "Vault", "states": ["not done"]}),
    ("query_work_items", {"project": "V", "iterationPath": "current of Vault Team"}),
    ("update_work_item", {"id": 1, "iterationPath": "Vault\\Sprint 1"}),
    ("search_code", {"searchText": "words", "project": "*", "repositories": ["safe"]}),
    ("search_work_item_text", {"searchText": "door", "project": "*", "areaPath": "Vault"}),
    ("search_wiki", {"searchText": "words", "project": "V"}),
    ("get_wiki_page", {"project": "Vault", "wikiId": "Vault.wiki", "path": "/x", "section": "y"}),
    ("add_work_item_artifact_link", {"id": 2, "kind": "address", "target": "https://example.com/x"}),
    ("add_work_item_artifact_link", {"id": 1, "kind": "branch", "target": "main", "repository": "S"}),
    ("add_work_item_artifact_link", {"id": 1, "kind": "pull-request", "target": "1", "repository": "safe"}),
    ("add_work_item_artifact_link", {"id": 1, "kind": "address", "target": "https://dev.azure.com/acme/V/_git/x"}),
    ("add_work_item_artifact_link", {"id": 1, "kind": "build", "target": "1", "project": "Vault"}),
    ("remove_work_item_artifact_link", {"id": 2, "url": "https://example.com/x"}),
]


@Sweep(("tool", "arguments"), ATTEMPTS, every=2)
@pytest.mark.parametrize("way", ["settings", "roles"])
async def test_what_is_out_of_reach_is_refused(world: World, tool: str, arguments: dict[str, Any], way: str) -> None:
    roles = "roles:\n  Guest:\n    all: destroy\n    reach: {projects: [web]}\n"
    world.projects.of_teams[world.id_of("Vault Team")] = "Vault"
    arguments = filled(world, arguments)
    before = {number: len(revisions) for number, revisions in world.work_items.revisions.items()}
    result, told = await tried(world, tool, arguments, **(WEB if way == "settings" else {"roles": roles}))
    assert result["isError"], told
    assert "Incident" not in told
    assert "Unknown" not in told, "the call itself has to be right"
    assert not [word for word in (MARK, "vault", "safe") if word in told_apart(told, arguments)], told
    assert world.strays() == []
    assert {number: len(revisions) for number, revisions in world.work_items.revisions.items()} == before


def request_of(world: World, repository: Any, title: str) -> None:
    """An open pull request, for which my vote is awaited."""
    repository.move("refs/heads/side", "0" * 40, repository.refs["refs/heads/main"], "Ada Byron")
    world.pull_requests.opened.append(
        {
            "pullRequestId": len(world.pull_requests.opened) + 1,
            "title": title,
            "status": "active",
            "sourceRefName": "refs/heads/side",
            "targetRefName": "refs/heads/main",
            "reviewers": [{"id": world.people.me["id"], "displayName": "Ada Byron", "vote": 0}],
            "repository": world.git.reference(repository),
            "createdBy": world.people.reference("Ada Byron"),
        }
    )


@pytest.fixture
def busy(world: World) -> World:
    """Pull request 1 is of Vault, 2 of the oven of Web, and 3 of its door."""
    for repository, title in ((world.twin, f"{MARK} pull"), (world.oven, "Heat up"), (world.door, f"{MARK} shut")):
        request_of(world, repository, title)
    world.search.files = {"/a.txt": "plain words"}
    return world


WIDE: Final[list[tuple[str, dict[str, Any]]]] = [
    ("list_pull_requests", {}),
    ("list_pull_requests", {"reviewerId": "@Me", "awaitsVote": True}),
    ("list_pull_requests", {"includeWorkItems": True, "status": "all"}),
    ("list_repositories", {"includeActivity": True}),
    ("list_branches", {}),
    ("list_commits", {}),
    ("list_pushes", {}),
    ("find_file", {"path": "/d.txt"}),
    ("find_file", {"path": "/a.txt"}),
    ("search_code", {"searchText": "words"}),
    ("search_wiki", {"searchText": "words"}),
    ("search_work_item_text", {"searchText": "door"}),
]


@Sweep(("tool", "arguments"), WIDE, every=2)
@pytest.mark.parametrize("lock", ["Web", "Web,Depot", "roles"])
async def test_all_projects_are_those_within_reach(
    busy: World, tool: str, arguments: dict[str, Any], lock: str
) -> None:
    busy.projects.names.append("Depot")
    busy.pull_requests.opened.pop()
    roles = "roles:\n  Guest:\n    all: read\n    reach: {projects: [Web]}\n"
    settings: dict[str, Any] = {"roles": roles} if lock == "roles" else {"ADO_ALLOWED_PROJECTS": lock}
    result, told = await tried(busy, tool, {**arguments, "project": "*"}, **settings)
    assert not result["isError"], told
    assert not [word for word in (MARK, "vault", busy.id_of("Vault"), busy.safe.id) if word in told.lower()], told
    assert busy.strays() == []


async def test_pull_requests_of_all_projects_are_found_within_reach(busy: World) -> None:
    for arguments in ({"project": "*"}, {"project": "*", "reviewerId": "@Me", "awaitsVote": True}):
        found = await shown(busy, "list_pull_requests", OVEN, **arguments)
        assert [entry["id"] for entry in found["items"]] == [2]
    found = await shown(busy, "list_pull_requests", WEB, project="*")
    assert [entry["id"] for entry in found["items"]] == [3, 2]


async def test_a_pull_request_is_found_by_its_number_within_reach_alone(busy: World) -> None:
    assert (await shown(busy, "get_pull_request", OVEN, pullRequestId=2))["title"] == "Heat up"
    for arguments in (
        {"pullRequestId": 1},
        {"pullRequestId": 3},
        {"pullRequestId": 9},
        {"pullRequestId": 1, "project": "Web"},
    ):
        result, told = await tried(busy, "get_pull_request", arguments, **OVEN)
        assert result["isError"]
        assert "ot found, or outside" in told
        assert MARK not in told


async def test_all_repositories_are_those_within_reach(busy: World) -> None:
    found = await shown(busy, "find_file", OVEN, path="/a.txt", project="*")
    assert [entry["repository"] for entry in found["items"]] == ["oven"]
    assert (found["read"], found.get("lacking")) == ("1 of 1 repositories", None)
    found = await shown(busy, "find_file", WEB, path="/a.txt", project="*")
    assert (found["read"], found["lacking"]) == ("2 of 2 repositories", ["Web/door"])


def built(world: World, project: str, repository: Any, **change: Any) -> int:
    """A build of a repository, with what is new in it."""
    about = {"id": repository.id, "type": "TfsGit", "name": repository.name}
    number = world.builds.add(world.builds.define(project, f"{repository.name} CI"), repository=about)
    world.builds.logs[number] = {}
    url = f"https://dev.azure.com/acme/_apis/git/repositories/{repository.id}/commits/{'a' * 40}"
    world.builds.changes[number] = [{"id": "a" * 40, "message": f"change {number}", "location": url, **change}]
    return number


async def test_what_came_between_builds_is_told_of_those_within_reach(world: World) -> None:
    first, of_door, _, last = (
        built(world, "Web", world.oven),
        built(world, "Web", world.door, message=MARK),
        built(world, "Vault", world.safe, message=MARK),
        built(world, "Web", world.oven),
    )
    world.builds.work_items[last] = [1, 2]
    between = {"project": "Web", "fromBuildId": first, "toBuildId": last}
    found = await shown(world, "compare_builds", WEB | OVEN, **between)
    assert [entry["message"] for entry in found["commits"]] == [f"change {last}"]
    assert [entry["id"] for entry in found["workItems"]] == [1]
    for ends in ((first, of_door), (of_door, last)):
        result, told = await tried(
            world, "compare_builds", {"project": "Web", "fromBuildId": ends[0], "toBuildId": ends[1]}, **OVEN
        )
        assert result["isError"]
        assert MARK not in told


async def test_a_change_that_a_build_took_from_another_project_is_left_out(world: World) -> None:
    number = built(world, "Web", world.oven)
    world.builds.changes[number] += world.builds.changes[built(world, "Vault", world.safe, message=MARK)]
    found = await shown(world, "list_build_changes", WEB, project="Web", buildId=number)
    assert [entry["message"] for entry in found["items"]] == [f"change {number}"]
    both = {"ADO_ALLOWED_PROJECTS": "Web,Vault"}
    found = await shown(world, "list_build_changes", both, project="Web", buildId=number)
    assert [entry["message"] for entry in found["items"]] == [f"change {number}", MARK]


async def test_tests_of_builds_go_by_their_repositories(world: World) -> None:
    of_oven, of_door = built(world, "Web", world.oven), built(world, "Web", world.door)
    run = world.test_plans.publish(of_oven, "oven tests", FAILED)
    hidden = world.test_plans.publish(of_door, MARK, {**FAILED, "testCaseTitle": MARK})
    found = await shown(world, "list_failed_tests", OVEN, project="Web", buildId=of_oven)
    assert [entry["test"] for entry in found["items"]] == ["test of oven"]
    runs = await shown(world, "list_test_runs", OVEN, project="Web", planId=None)
    assert [entry["id"] for entry in runs["items"]] == [run]
    for tool, arguments in (("list_failed_tests", {"buildId": of_door}), ("get_test_results", {"runId": hidden})):
        result, told = await tried(world, tool, {"project": "Web", **arguments}, **OVEN)
        assert result["isError"]
        assert MARK not in told


async def test_approvals_go_by_the_builds_that_wait(world: World) -> None:
    of_oven, of_door = built(world, "Web", world.oven), built(world, "Web", world.door)
    mine = world.approvals.ask(of_oven, "Prod", "Ada Byron")
    hidden = world.approvals.ask(of_door, "Prod", "Ada Byron")
    for arguments in ({}, {"mine": True}, {"runId": of_oven}):
        found = await shown(world, "list_pipeline_approvals", OVEN, project="Web", **arguments)
        assert [entry["id"] for entry in found["items"]] == [mine]
    assert (await shown(world, "list_pipeline_approvals", WEB, project="Web"))["count"] == 2
    for tool, more in (("get_pipeline_approval", {}), ("decide_pipeline_approval", {"status": "approved"})):
        result, told = await tried(world, tool, {"project": "Web", "approvalId": hidden, **more}, **OVEN)
        assert result["isError"], told
        assert f"{of_door}" not in told
    assert world.approvals.known[hidden]["status"] == "pending"
    await shown(world, "decide_pipeline_approval", OVEN, project="Web", approvalId=mine, status="approved")
    assert world.approvals.known[mine]["status"] == "approved"


async def test_an_approval_of_another_project_is_none_of_this(world: World) -> None:
    # The service finds it by way of this project, too.
    approval = world.approvals.ask(built(world, "Web", world.oven), "Prod", "Ada Byron")
    world.approvals.known[approval]["pipeline"]["owner"] = {"id": built(world, "Vault", world.safe), "name": MARK}
    world.approvals.is_lax = True
    for tool, more in (("get_pipeline_approval", {}), ("decide_pipeline_approval", {"status": "approved"})):
        result, told = await tried(world, tool, {"project": "Web", "approvalId": approval, **more}, **WEB)
        assert result["isError"], told
        assert MARK not in told
    assert (await shown(world, "list_pipeline_approvals", WEB, project="Web"))["items"] == []
    assert world.approvals.known[approval]["status"] == "pending"


async def test_sprints_are_planned_within_reach(world: World) -> None:
    items = await shown(world, "list_iteration_items", WEB, project="Web", iterationId="current")
    assert MARK not in str(items)
    assert (await shown(world, "get_team_capacity", WEB, project="Web", iterationId="current"))["members"]
    made = await shown(world, "create_iteration", WEB, project="Web", name="Sprint 9", team="Web Team")
    assert made["path"] == "Web\\Sprint 9"
    assert (await shown(world, "list_work_item_types", WEB))["items"]
    assert world.strays() == []


async def test_code_within_reach_is_linked(world: World) -> None:
    arguments: dict[str, Any] = {"kind": "branch", "target": "main", "project": "Web"}
    linked = await shown(world, "add_work_item_artifact_link", OVEN, id=1, repository="oven", **arguments)
    assert linked["linked"]["type"] == "Branch"
    result, told = await tried(
        world, "add_work_item_artifact_link", {"id": 1, "repository": "door", **arguments}, **OVEN
    )
    assert result["isError"], told


def test_what_is_decided_or_compared_is_looked_at_whole() -> None:
    decided = DevOpsRequest(
        "PATCH /{project}/_apis/pipelines/approvals", {"project": "Web"}, body=[{"approvalId": "x"}, {"status": "y"}]
    )
    assert [whole.values["approvalId"] for whole in wholes_of(decided)] == ["x", "missing"]
    compared = DevOpsRequest("GET /{project}/_apis/build/workitems", {"project": "Web"}, {"fromBuildId": 1})
    assert [whole.values["buildId"] for whole in wholes_of(compared)] == [1, "missing"]


async def test_a_build_out_of_reach_and_one_that_is_nowhere_are_not_told_apart(world: World) -> None:
    hidden = built(world, "Web", world.door)
    for tool, name in (
        ("get_build", "buildId"),
        ("list_failed_tests", "buildId"),
        ("list_pipeline_approvals", "runId"),
    ):
        told = [(await tried(world, tool, {"project": "Web", name: number}, **OVEN))[1] for number in (hidden, 999)]
        assert told[0] == told[1]
        assert "ot found, or outside" in told[0]


def test_an_iteration_of_another_project_is_left_out() -> None:
    known = NameIndex([Named("1", "Web"), Named("2", "Vault")])
    bounds = OrganizationBounds(["acme"], DevOpsReach.within(ReachLock(projects=frozenset({"Web"}))), known)
    sieve = DevOpsSieve(bounds, OrganizationAddresses(Organization.at("https://dev.azure.com/acme")))
    standing_of("work/teamsettings/iterations", is_of_one=True, opens_repositories=True).put_on(sieve)
    entries = [{"path": "Web\\Sprint 1"}, {"path": "Vault\\Sprint 1"}, {"name": "Sprint 1"}]
    assert sieve.answer({"value": entries})["value"] == entries[:1]


async def test_builds_within_reach_are_linked_shown_and_unlinked(world: World) -> None:
    of_oven, of_door = built(world, "Web", world.oven), built(world, "Web", world.door)
    of_vault = built(world, "Vault", world.safe)
    arguments: dict[str, Any] = {"id": 1, "kind": "build", "project": "Web"}
    for number in (of_oven, of_door):
        await shown(world, "add_work_item_artifact_link", WEB, target=str(number), **arguments)
    for target, locks in ((of_vault, WEB), (of_door, OVEN)):
        result, _ = await tried(world, "add_work_item_artifact_link", {**arguments, "target": str(target)}, **locks)
        assert result["isError"]
    await shown(world, "add_work_item_artifact_link", {}, **{**arguments, "project": "Vault"}, target=str(of_vault))
    for locks, numbers in ((WEB, [of_oven, of_door]), (OVEN, [of_oven])):
        links = (await shown(world, "get_work_item", locks, id=1))["links"]
        assert [link["url"] for link in links] == [f"vstfs:///Build/Build/{number}" for number in numbers]
    last = f"vstfs:///Build/Build/{of_door}"
    await shown(world, "remove_work_item_artifact_link", WEB, id=1, url=last)
    urls = [relation["url"] for relation in world.work_items.latest(1)["relations"]]
    assert [url for url in urls if "Build" in url] == [f"vstfs:///Build/Build/{n}" for n in (of_oven, of_vault)]
