"""Which of my repositories ...: one call, however many there are, whatever some of them answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from aiohttp import web

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.git_store import NO_COMMIT, Repository
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

GRACE, ADA = "Grace Brewster", "Ada Byron"


@pytest.fixture
def repositories(azure_devops: FakeAzureDevOps) -> dict[str, Repository]:
    """Three in two projects, and one with nothing in it."""
    files = {
        ("Web", "shop"): {"/Dockerfile": b"FROM x\n", "/infra/main.bicep": b"\n"},
        ("Web", "oven"): {"/README.md": b"# Oven\n"},
        ("Shop floor", "till"): {"/Dockerfile": b"FROM y\n"},
        ("Web", "empty"): {},
    }
    return {name: azure_devops.git.add(project, name, content) for (project, name), content in files.items()}


def committed(repository: Repository, branch: str, author: str, comment: str) -> str:
    ref = f"refs/heads/{branch}"
    old = repository.refs.get(ref, NO_COMMIT)
    parent = repository.refs["refs/heads/main"] if old == NO_COMMIT else old
    made = repository.commit({**repository.tree(parent), "/x": comment.encode()}, [parent], comment, author)
    repository.move(ref, old, made, author)
    return made


async def named(caller: Caller, tool: str, **arguments: Any) -> tuple[list[str], Any]:
    """What is found, by the repositories, and the answer."""
    found = await given(caller, tool, **arguments)
    return [f"{entry['project']}/{entry['repository']}" for entry in found["items"]], found


@pytest.mark.usefixtures("repositories")
async def test_which_repositories_have_a_file_and_which_lack_it(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    having, found = await named(caller, "find_file", path="Dockerfile", project="*")
    assert having == ["Web/shop", "Shop floor/till"]
    assert (found["lacking"], found["read"]) == (["Web/empty", "Web/oven"], "4 of 4 repositories")
    assert len(azure_devops.asked) == 4
    folder, _ = await named(caller, "find_file", path="/infra", project="*")
    assert folder == ["Web/shop"]
    here = await given(caller, "find_file", path="/Dockerfile")
    assert [entry["repository"] for entry in here["items"]] == ["shop"]
    assert here["scope"] == "Only project Web; project=* selects all projects."


async def test_which_repositories_have_a_branch_and_which_lack_it(
    caller: Caller, repositories: dict[str, Repository]
) -> None:
    for name in ("shop", "till"):
        committed(repositories[name], "release/2", ADA, "Begin")
    having, found = await named(caller, "list_branches", filter="release/", project="*")
    assert having == ["Shop floor/till", "Web/shop"]
    assert [entry["name"] for entry in found["items"]] == ["release/2", "release/2"]
    assert found["lacking"] == ["Web/empty", "Web/oven"]
    on_branch, _ = await named(caller, "find_file", path="Dockerfile", branch="release/2", project="*")
    assert sorted(on_branch) == ["Shop floor/till", "Web/shop"]


async def test_who_committed_and_pushed_what_in_any_repository(
    caller: Caller, repositories: dict[str, Repository]
) -> None:
    committed(repositories["shop"], "main", GRACE, "Mend the shop")
    committed(repositories["till"], "main", GRACE, "Mend the till")
    having, found = await named(caller, "list_commits", author=GRACE, project="*")
    assert sorted(having) == ["Shop floor/till", "Web/shop"]
    assert found["lacking"] == ["Web/empty", "Web/oven"]
    one = await given(caller, "list_commits", author=GRACE, project="*", maxResults=1)
    assert (one["count"], "more" in one) == (1, True)
    pushes, _ = await named(caller, "list_pushes", branch="main", project="*")
    assert Counter(pushes) == {"Shop floor/till": 2, "Web/shop": 2, "Web/oven": 1}


async def test_repositories_are_listed_with_their_last_push_and_branches(
    caller: Caller, repositories: dict[str, Repository]
) -> None:
    committed(repositories["shop"], "mend", GRACE, "Mend")
    listed = await given(caller, "list_repositories", project="*", includeActivity=True)
    activity = {entry["name"]: (entry["branches"], entry.get("pushedBy")) for entry in listed["items"]}
    grace, ada = ("Grace Brewster <grace.brewster@example.com>", "Ada Byron <ada.byron@example.com>")
    assert activity == {"shop": (2, grace), "oven": (1, ada), "till": (1, ada), "empty": (0, None)}
    part = await given(caller, "list_repositories", project="*", name="O")
    assert [entry["name"] for entry in part["items"]] == ["oven", "shop"]


async def test_which_repositories_lack_a_policy(
    caller: Caller, azure_devops: FakeAzureDevOps, repositories: dict[str, Repository]
) -> None:
    def policy(number: int, kind: str, **scope: Any) -> dict[str, Any]:
        shown = {"id": number, "isEnabled": True, "isBlocking": True, "type": {"displayName": kind}}
        return {**shown, "settings": {"count": number, "scope": [scope]}}

    main = {"refName": "refs/heads/main", "matchKind": "Exact"}
    azure_devops.pull_requests.policies = {
        "Web": [
            policy(1, "Minimum number of reviewers", repositoryId=repositories["shop"].id, **main),
            policy(2, "Build", repositoryId=None, refName="refs/heads/release", matchKind="Prefix"),
            policy(3, "File size", repositoryId=None),
            policy(4, "Minimum number of reviewers", repositoryId=repositories["oven"].id, **main)
            | {"isEnabled": False},
        ],
        "Shop floor": [policy(5, "Minimum number of reviewers", repositoryId=None, matchKind="DefaultBranch")],
    }
    found = await given(caller, "list_branch_policies", project="*", type="reviewers")
    assert [(entry["id"], entry["project"], entry["for"]) for entry in found["items"]] == [
        (1, "Web", ["shop: main"]),
        (4, "Web", ["oven: main"]),
        (5, "Shop floor", ["all repositories: default branch"]),
    ]
    assert (found["lacking"], found["read"]) == (["Web/oven"], "2 of 2 projects")
    release = await given(caller, "list_branch_policies", project="*", branch="release/2")
    assert ([entry["id"] for entry in release["items"]], release["lacking"]) == ([2], ["Shop floor/till"])


@pytest.mark.parametrize(
    "tool", ["list_branches", "list_commits", "list_pushes", "list_pull_requests", "list_branch_policies"]
)
async def test_one_repository_is_not_of_all_projects(caller: Caller, tool: str) -> None:
    assert "pass that project instead of *" in await caller.told(tool, repository="shop", project="*")


@pytest.mark.usefixtures("repositories")
async def test_code_is_searched_in_the_whole_organization_by_one_request(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    azure_devops.search.files = {"/a.py": "heat"}
    await given(caller, "search_code", searchText="heat", project="*")
    assert [asked.path for asked in azure_devops.asked] == ["/_apis/search/codesearchresults"]


FAILING = {
    "forbidden": troubles.forbidden,
    "gone": troubles.failing(404, "GitRepositoryNotFoundException", "TF401019: It does not exist."),
    "down": troubles.stopped,
    "throttled": troubles.throttled,
    "odd": lambda _: web.json_response({"count": 1, "value": ["x"]}),
    "cut": troubles.cut_connection,
}


async def test_hundreds_of_repositories_of_which_some_fail_are_one_short_answer(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    for number in range(150):
        azure_devops.git.add("Web", f"well-{number:03}", {"/Dockerfile": b"FROM x\n"})
    for kind, trouble in FAILING.items():
        for number in range(10):
            azure_devops.git.add("Web", f"{kind}-{number:03}", {"/README.md": b"x\n"})
        azure_devops.places[f"/{kind}-"] = trouble
    found = await given(caller, "find_file", path="/Dockerfile", maxResults=1000)
    assert (found["count"], found["read"]) == (150, "150 of 210 repositories")
    unread = found["notRead"]
    assert sum(len(why.get("names", ())) + why.get("more", 0) + why.get("count", 0) for why in unread) == 60
    assert {name.partition("/")[2][:-4] for why in unread for name in why.get("names", ())} <= FAILING.keys()
    assert len(str(unread)) < 5000
    activity = await given(caller, "list_repositories", includeActivity=True, maxResults=1000)
    assert (activity["count"], activity["read"]) == (210, "150 of 210 repositories")


async def test_a_few_that_fail_spoil_no_other_list(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    for name in ("well", *FAILING):
        azure_devops.git.add("Web", name, {"/Dockerfile": b"FROM x\n"})
        azure_devops.places |= {f"/{name}/": FAILING[name]} if name in FAILING else {}
    for tool in ("list_branches", "list_commits", "list_pushes"):
        found = await given(caller, tool)
        assert (found["count"], found["read"]) == (1, "1 of 7 repositories")


async def test_a_list_that_goes_round_in_circles_ends(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.git.add("Web", "round", {"/a": b"x"})
    circle = {"x-ms-continuationtoken": "again"}
    azure_devops.places["/round/refs"] = lambda _: web.json_response({"count": 0, "value": []}, headers=circle)
    found = await given(caller, "list_branches")
    assert (found["count"], "more" in found) == (0, True)
    assert len(azure_devops.asked) <= 101


async def test_hostile_names_of_repositories_are_one_segment_each(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    names = ["a/b", "../x", "x?y#z", "%2e%2e", "\u202eevil", "a b", "..", "."]
    for name in names:
        azure_devops.git.add("Web", name, {"/a": b"x"})
    found = await given(caller, "find_file", path="/a")
    unread = {name for reason in found.get("notRead", ()) for name in reason["names"]}
    assert {f"Web/{entry['repository']}" for entry in found["items"]} | unread == {f"Web/{name}" for name in names}
    assert unread <= {"Web/..", "Web/."}
    assert all(asked.path.count("/") == 6 for asked in azure_devops.asked[1:])
