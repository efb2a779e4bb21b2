"""What is out of reach is neither asked for nor named, whichever way somebody tries."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure_devops.confinement.allowed_routes import refuse_unconfined, resource_of
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tests.sweeps import Sweep
from tests.tools.azure_devops.trying import WEB, filled, shown, told_apart, tried
from tests.tools.azure_devops.world import MARK, World

pytestmark = pytest.mark.anyio

OVEN: Final = {"ADO_ALLOWED_REPOSITORIES": "Web/oven"}


@pytest.fixture
def world() -> World:
    return World()


# What each names, from the outside: V is the id of Vault, S of its repository, F of a file attached there.
ATTEMPTS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("get_project", {"project": "Vault"}),
    ("get_project", {"project": "vAULT"}),
    ("get_project", {"project": "V"}),
    ("get_project", {"project": "Web/../Vault"}),
    ("get_project", {"project": "Vault%2f"}),
    ("get_project", {"project": "%56ault"}),
    ("get_project", {"project": "..%2fVault"}),
    ("get_project", {"project": " Vault "}),
    ("get_project", {"project": "Vault?x=Web"}),
    ("list_teams", {"project": "Vault"}),
    ("get_team_members", {"project": "V", "team": "Vault Team"}),
    ("list_iterations", {"project": "Vault"}),
    ("list_area_paths", {"project": "Vault"}),
    ("list_repositories", {"project": "Vault"}),
    ("get_repository", {"project": "Web", "repository": "S"}),
    ("get_repository", {"project": "Web", "repository": "safe"}),
    ("get_repository", {"project": "Vault", "repository": "safe"}),
    ("get_repository", {"repository": "S"}),
    ("get_file_content", {"project": "Web", "repository": "S", "path": "/c.txt"}),
    ("get_file_content", {"repository": "safe", "path": "/c.txt"}),
    ("list_files", {"project": "Web", "repository": "S"}),
    ("list_commits", {"project": "Web", "repository": "S"}),
    ("list_branches", {"project": "Web", "repository": "S"}),
    ("list_pull_requests", {"project": "Web", "repository": "S"}),
    (
        "push_changes",
        {
            "project": "Web",
            "repository": "S",
            "branch": "main",
            "message": "x",
            "changes": [{"change": "add", "path": "/x", "content": "x"}],
        },
    ),
    ("create_branch", {"project": "Web", "repository": "S", "name": "x"}),
    ("delete_branch", {"project": "Web", "repository": "S", "branch": "main"}),
    ("get_work_item", {"id": 2}),
    ("get_work_item", {"id": 2, "includeComments": True, "detail": "full"}),
    ("update_work_item", {"id": 2, "title": "x"}),
    ("update_work_item", {"id": 1, "additionalFields": {"System.TeamProject": "Vault"}}),
    ("update_work_item", {"id": 1, "additionalFields": {"Team Project": "Vault"}}),
    ("update_work_item", {"id": 1, "areaPath": "Vault\\x"}),
    ("update_work_item", {"id": 1, "iterationPath": "\\Vault"}),
    ("update_work_item", {"id": 1, "additionalFields": {"System.AreaId": 7}}),
    ("update_work_item", {"id": 1, "additionalFields": {"System.Parent": 2}}),
    ("create_work_item", {"project": "Vault", "type": "Bug", "title": "x"}),
    ("create_work_item", {"project": "Web", "type": "Bug", "title": "x", "parentId": 2}),
    ("create_work_item", {"project": "Web", "type": "Bug", "title": "x", "areaPath": "Vault"}),
    ("delete_work_item", {"id": 2}),
    ("list_work_item_revisions", {"id": 2}),
    ("list_work_item_comments", {"id": 2}),
    ("add_work_item_comment", {"id": 2, "text": "x"}),
    ("list_work_item_attachments", {"id": 2}),
    ("get_work_item_attachment", {"attachmentId": "F"}),
    ("get_work_item_attachment", {"attachmentId": "F", "workItemId": 2}),
    ("get_work_item_attachment", {"attachmentId": "F", "workItemId": 1}),
    ("add_work_item_attachment", {"id": 2, "content": "eA==", "fileName": "x"}),
    ("remove_work_item_attachment", {"id": 2, "attachmentId": "F"}),
    ("link_work_items", {"sourceId": 1, "targetId": 2, "linkType": "related"}),
    ("link_work_items", {"sourceId": 2, "targetId": 1, "linkType": "related"}),
    ("remove_work_item_link", {"sourceId": 4, "targetId": 2, "linkType": "related"}),
    ("get_linked_work_items", {"id": 2}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = 'Vault'"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE [System.AreaPath] UNDER 'Vault\\x'"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE [Team Project] IN ('Web', 'Vault')"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE System.TeamProject = 'Vault'"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE [System.Id] = 2) OR ([System.Id] = 2"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE EVER [System.State] = 'x'"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems", "project": "Vault"}),
    ("query_work_items", {"project": "Vault"}),
    ("query_work_items", {"areaPath": "Vault"}),
    ("query_work_items", {"iterationPath": "vault\\Sprint 1"}),
    ("search_work_items", {"searchText": "door", "project": "V"}),
    ("search_code", {"searchText": "words", "project": "Vault"}),
    ("search_code", {"searchText": "words", "project": "V", "repositories": ["safe"]}),
    ("search_wiki", {"searchText": "words", "project": "Vault"}),
    ("search_work_item_text", {"searchText": "door", "project": "Vault"}),
    ("search_work_item_text", {"searchText": "door", "areaPath": "Vault\\x"}),
    ("list_wikis", {"project": "Vault"}),
    ("get_wiki_page", {"project": "Vault", "wikiId": "Vault.wiki", "path": "/x"}),
    ("list_builds", {"project": "Vault"}),
    ("get_build", {"project": "V", "buildId": 1}),
    ("run_pipeline", {"project": "Vault", "pipelineId": 1}),
    ("list_releases", {"project": "Vault"}),
    ("list_packages", {"feedId": "tools"}),
    ("list_packages", {"feedId": "safe-feed", "project": "Vault"}),
    ("get_feed", {"feedId": "tools"}),
    ("list_test_plans", {"project": "Vault"}),
    ("list_variable_groups", {"project": "Vault"}),
    ("list_service_connections", {"project": "Vault"}),
    ("list_dashboards", {"project": "Vault"}),
    ("get_boards", {"project": "Vault"}),
    ("list_backlogs", {"project": "Vault"}),
    ("list_security_alerts", {"project": "Web", "repository": "S"}),
    ("list_branch_policies", {"project": "Web", "repository": "S"}),
]


@Sweep(("tool", "arguments"), ATTEMPTS, every=2)
@pytest.mark.parametrize("way", ["settings", "roles"])
async def test_what_is_out_of_reach_is_refused(world: World, tool: str, arguments: dict[str, Any], way: str) -> None:
    roles = "roles:\n  Guest:\n    all: destroy\n    reach: {projects: [web]}\n"
    locked: dict[str, Any] = WEB if way == "settings" else {"roles": roles}
    arguments = filled(world, arguments)
    before = {number: len(revisions) for number, revisions in world.work_items.revisions.items()}
    result, told = await tried(world, tool, arguments, **locked)
    assert result["isError"], told
    assert "Incident" not in told
    assert not {MARK, "vault", "safe"} & {
        word for word in (MARK, "vault", "safe") if word in told_apart(told, arguments)
    }
    assert world.strays() == []
    assert {number: len(revisions) for number, revisions in world.work_items.revisions.items()} == before


# What may be answered, without what is out of reach.
WIDE: Final[list[tuple[str, dict[str, Any]]]] = [
    ("list_projects", {}),
    ("list_projects", {"stateFilter": "all", "detail": "full", "maxResults": 1}),
    ("list_repositories", {}),
    ("get_work_item", {"id": 4, "detail": "full"}),
    ("get_work_item", {"id": 4, "includeAttachments": True, "includeComments": True}),
    ("get_linked_work_items", {"id": 4}),
    ("list_work_item_revisions", {"id": 3}),
    ("list_work_item_revisions", {"id": 3, "maxResults": 1, "detail": "full"}),
    ("list_work_item_revisions", {"id": 4}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems"}),
    ("list_work_items", {"query": "SELECT [System.Id] FROM WorkItems WHERE [System.Title] CONTAINS 'door'"}),
    ("list_work_items", {"query": "select [System.Id] from WorkItems order by [System.Id]", "project": "Web"}),
    ("query_work_items", {}),
    ("search_work_items", {"searchText": "door"}),
    ("search_work_item_text", {"searchText": "door"}),
    ("list_feeds", {}),
    ("list_subscriptions", {}),
    ("search_users", {"query": "ada"}),
    ("get_current_user", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), WIDE)
async def test_an_answer_of_the_whole_organization_is_confined(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    result, told = await tried(world, tool, arguments, **WEB)
    if tool != "list_subscriptions":  # which this fake does not have
        assert not result["isError"], told
    assert not [word for word in (MARK, "vault", world.id_of("Vault"), world.safe.id) if word in told.lower()]
    assert "workItems/2" not in told
    assert world.strays() == []


def ids(result: Any) -> set[int]:
    return {entry["id"] for entry in result["items"]}


async def test_what_is_within_reach_is_all_there(world: World) -> None:
    assert [entry["name"] for entry in (await shown(world, "list_projects"))["items"]] == ["Web"]
    assert ids(await shown(world, "query_work_items")) == {1, 3, 4}
    linked = await shown(world, "get_linked_work_items", id=4)
    assert ids(linked) == {1}
    assert [entry["name"] for entry in (await shown(world, "list_repositories"))["items"]] == ["door", "oven"]
    found = await shown(world, "get_file_content", repository="oven", path="/a.txt")
    assert found["content"] == "plain words"
    file = await shown(world, "get_work_item_attachment", attachmentId=world.open_file, workItemId=1)
    assert file["content"] == "plain file"


async def test_a_link_is_removed_by_its_place_among_all(world: World) -> None:
    await shown(world, "remove_work_item_link", sourceId=4, targetId=1, linkType="related")
    left = world.work_items.latest(4)["relations"]
    assert [relation["url"].rpartition("/")[2] for relation in left] == ["2"]


async def test_only_the_history_within_reach_is_told(world: World) -> None:
    world.change(3, [{"op": "add", "path": "/fields/System.State", "value": "Active"}])
    revisions = (await shown(world, "list_work_item_revisions", id=3))["items"]
    assert [entry["rev"] for entry in revisions] == [3]


async def test_a_history_of_several_pages_within_reach_is_told_to_its_end(world: World) -> None:
    for number in range(250):
        world.change(3, [{"op": "add", "path": "/fields/System.Title", "value": f"Title {number}"}])
    revisions = (await shown(world, "list_work_item_revisions", id=3, maxResults=400))["items"]
    assert [entry["rev"] for entry in revisions] == [*range(3, 253)]


@pytest.mark.parametrize("lock", ["Web", "wEB", " web ", "acme/Web", "ID", "Web,Nowhere"])
async def test_a_project_is_locked_in_by_any_of_its_names(world: World, lock: str) -> None:
    settings = {"ADO_ALLOWED_PROJECTS": world.id_of("Web").upper() if lock == "ID" else lock}
    assert [entry["name"] for entry in (await shown(world, "list_projects", settings))["items"]] == ["Web"]


@pytest.mark.parametrize("lock", ["beta/Web", "Nowhere", "We", "Web2", "*", "W\u0435b"])
async def test_a_lock_that_means_nothing_opens_nothing(world: World, lock: str) -> None:
    settings = {"ADO_ALLOWED_PROJECTS": lock}
    assert (await shown(world, "list_projects", settings))["items"] == []
    result, _ = await tried(world, "list_teams", {"project": "Web"}, **settings)
    assert result["isError"]


async def test_names_compare_as_the_service_compares_them(world: World) -> None:
    world.projects.names = ["Küche", "Strasse", "\u017fhop"]
    settings = {"ADO_ALLOWED_PROJECTS": "KU\u0308CHE,Straße,Shop"}
    assert [entry["name"] for entry in (await shown(world, "list_projects", settings))["items"]] == ["Küche"]


async def test_a_project_that_took_another_name_does_not_keep_the_reach_of_the_old_one(world: World) -> None:
    # The service goes on to answer to the old name.
    world.projects.names = ["Vault"]
    world.projects.former = {"Web": "Vault"}
    result, told = await tried(world, "list_teams", {"project": "Web"}, **WEB)
    assert result["isError"]
    assert "Vault" not in told


async def test_roles_and_settings_narrow_each_other(world: World) -> None:
    roles = "roles:\n  Guest:\n    all: read\n    reach: {projects: [Vault]}\n"
    result, _ = await tried(world, "list_projects", {}, **WEB, roles=roles)
    assert result["structuredContent"]["items"] == []


async def test_each_role_reaches_for_itself(world: World) -> None:
    signed_in, guest = "signed-in:\n  devops-project: read\n", "  Guest:\n    devops-git: read\n"
    roles = f"{signed_in}roles:\n{guest}    reach: {{projects: [Web]}}\n"
    projects = await shown(world, "list_projects", {"roles": roles})
    assert [entry["name"] for entry in projects["items"]] == ["Web", "Vault"]
    result, _ = await tried(world, "list_repositories", {"project": "Vault"}, roles=roles)
    assert result["isError"]


async def test_without_a_reach_everything_is_as_it_was(world: World) -> None:
    await shown(world, "list_repositories", {}, project="Vault")
    assert [seen.path for seen in world.asked] == ["/Vault/_apis/git/repositories"]


REPOSITORIES: Final[list[tuple[str, dict[str, Any]]]] = [
    ("get_repository", {"project": "Web", "repository": "door"}),
    ("get_repository", {"project": "Web", "repository": "D"}),
    ("get_file_content", {"project": "Web", "repository": "door", "path": "/b.txt"}),
    ("get_file_content", {"project": "Vault", "repository": "oven", "path": "/d.txt"}),
    ("list_releases", {"project": "Web"}),
    ("list_test_runs", {"project": "Web"}),
    ("list_branch_policies", {"project": "Web", "repository": "door"}),
    ("list_pull_requests", {"project": "Web", "repository": "D"}),
    ("get_build", {"project": "Web", "buildId": 1}),
    ("get_build_logs", {"project": "Web", "buildId": 1}),
    ("queue_build", {"project": "Web", "definitionId": 1}),
    ("run_pipeline", {"project": "Web", "pipelineId": 1}),
    ("get_pipeline", {"project": "Web", "pipelineId": 1}),
    ("create_pipeline", {"project": "Web", "name": "x", "repository": "door", "yamlPath": "/x.yml"}),
    ("get_wiki_page", {"project": "Web", "wikiId": "Docs", "path": "/x"}),
    ("search_code", {"searchText": "words", "project": "Vault", "repositories": ["oven"], "path": "/../x"}),
]


@pytest.mark.parametrize(("tool", "arguments"), REPOSITORIES)
async def test_a_repository_out_of_reach_is_refused(world: World, tool: str, arguments: dict[str, Any]) -> None:
    arguments = {name: world.door.id if value == "D" else value for name, value in arguments.items()}
    definition = world.builds.define("Web", MARK, repository={"id": world.door.id, "type": "TfsGit", "name": "door"})
    world.builds.builds[1] = {"id": 1, "definition": {"id": definition}, "repository": {"id": world.door.id}}
    result, told = await tried(world, tool, arguments, **OVEN)
    assert result["isError"] or not result["structuredContent"]["count"], told
    assert MARK not in told
    assert not [seen for seen in world.asked if world.door.id in seen.path or world.twin.id in seen.path]


async def test_only_repositories_within_reach_are_listed(world: World) -> None:
    for arguments in ({}, {"project": "Web"}):
        listed = await shown(world, "list_repositories", OVEN, **arguments)
        assert [(entry["project"], entry["name"]) for entry in listed["items"]] == [("Web", "oven")]
    world.link_to_code(1)
    assert "links" not in await shown(world, "get_work_item", OVEN, id=1)
    named = await shown(world, "list_repositories", {"ADO_ALLOWED_REPOSITORIES": "OVEN"})
    assert [entry["project"] for entry in named["items"]] == ["Vault", "Web"]


async def test_a_team_of_another_project_is_none_of_this(world: World) -> None:
    world.projects.of_teams[world.id_of("Vault Team")] = "Vault"
    result, told = await tried(world, "get_boards", {"project": "Web", "team": world.id_of("Vault Team")}, **WEB)
    assert result["isError"]
    assert "Team not found in Web" in told


def pull_request(world: World) -> None:
    """Pull request 1 is of the repository of Vault that is called as the one of Web."""
    for repository in (world.oven, world.twin):
        repository.move("refs/heads/side", "0" * 40, repository.refs["refs/heads/main"], "Ada Byron")
    about = {"title": f"{MARK} pull", "sourceRefName": "refs/heads/side", "targetRefName": "refs/heads/main"}
    world.pull_requests.opened.append(
        {
            **about,
            "pullRequestId": 1,
            "status": "active",
            "reviewers": [],
            "repository": world.git.reference(world.twin),
            "createdBy": world.people.reference("Ada Byron"),
        }
    )
    comment = {"id": 1, "content": f"{MARK} words", "commentType": "text"}
    world.pull_requests.threads[1] = [{"id": 1, "status": "active", "comments": [comment]}]


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("get_pull_request", {}),
        ("get_pull_request_comments", {}),
        ("list_pull_request_changes", {}),
        ("get_pull_request_work_items", {}),
        ("add_pull_request_comment", {"content": "x"}),
        ("vote_pull_request", {"vote": "approve"}),
        ("complete_pull_request", {}),
        ("link_pull_request_work_item", {"workItemId": 1}),
    ],
)
async def test_a_pull_request_is_not_reached_by_way_of_another_repository(
    world: World, tool: str, more: dict[str, Any]
) -> None:
    pull_request(world)
    arguments = {"project": "Web", "repository": "oven", "pullRequestId": 1, **more}
    result, told = await tried(world, tool, arguments, **WEB)
    assert result["isError"], told
    assert MARK not in told
    assert world.pull_requests.opened[0]["reviewers"] == []
    assert world.pull_requests.opened[0]["status"] == "active"


async def test_a_definition_that_is_not_seen_whole_is_not_written(world: World) -> None:
    number = world.builds.define("Web", "Nightly", triggers=[{"definition": {"project": {"name": "Vault"}}}])
    result, told = await tried(world, "rename_pipeline", {"project": "Web", "pipelineId": number, "name": "x"}, **WEB)
    assert "would remove these references" in told
    assert world.builds.definitions[number]["name"] == "Nightly"
    assert result["isError"]


def test_an_organization_wide_path_that_nobody_confined_is_refused() -> None:
    for line in ("GET /_apis/git/favorites", "GET /_apis/wit/reporting/workitemrevisions", "GET /_apis/tfvc/items"):
        request = DevOpsRequest(line)
        with pytest.raises(Refusal, match="cannot be limited"):
            refuse_unconfined(request, resource_of(request), of_a_project=False, opens_repositories=True)
