"""Where code names what retires, and the draft pull requests that change it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retirements.mapping import products
from tests.fakes.workspaces.git_server import GitServer
from tests.tools.azure.inventing import answered, refused
from tests.tools.retirements.world import World, asking
from tools.retirements.code_terms import CodeTerms

pytestmark = pytest.mark.anyio

BICEP = "resource app 'Microsoft.Web/sites@2024-04-01' = {\n  minTlsVersion: '1.0'\n}\n"
FIXED = BICEP.replace("'1.0'", "'1.2'")


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path)
    files = {"/infra/app.bicep": BICEP, "/infra/cache.bicep": "'Microsoft.Cache/redis@2024-03-01'", "/a.md": "nothing"}
    found.devops.git.add("Web", "oven", {path: text.encode() for path, text in files.items()})
    found.devops.search.files = dict(files)
    return found


async def test_files_that_name_it_are_found_with_what_would_take_its_place(world: World) -> None:
    async with asking(world) as caller:
        found = await answered(caller, "find_in_code", update="557852")
    [file] = found["items"]
    assert (file["repository"], file["path"]) == ("Web/oven", "/infra/app.bicep")
    assert file["lines"] == [{"line": 2, "text": "minTlsVersion: '1.0'", "replaceBy": "minTlsVersion: '1.2'"}]


async def test_what_cannot_be_replaced_is_only_found(world: World) -> None:
    async with asking(world) as caller:
        found = await answered(caller, "find_in_code", update="499577")
        assert [one["path"] for one in found["items"]] == ["/infra/cache.bicep"]
        assert "replaceBy" not in str(found["items"])
        why = await refused(caller, "fix_in_code", repository="oven", project="Web", update="499577")
    assert "Replacing text is not enough" in why


async def test_workspaces_are_searched_as_they_are_now(world: World, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    async with GitServer(tmp_path / "server").serving() as server, asking(world) as caller:
        server.repository("shop", {"main.bicep": BICEP})
        await answered(caller, "git_clone", repo_url=f"{server.url}/shop.git")
        found = await answered(caller, "find_in_code", update="557852")
    assert [one["repository"] for one in found["items"]] == ["Web/oven", "workspace shop"]


async def test_one_may_look_for_terms_of_ones_own(world: World) -> None:
    async with asking(world) as caller:
        found = await answered(caller, "find_in_code", terms=["nothing"])
        assert [one["path"] for one in found["items"]] == ["/a.md"]
        assert "Pass `update`" in await refused(caller, "find_in_code")
        assert "No update has the id" in await refused(caller, "find_in_code", update="0")


async def test_a_draft_pull_request_has_the_fix_and_the_work_item_and_is_opened_once(world: World) -> None:
    item = world.devops.work_items.add("Web", "Task", "Retirement")
    asked = {"repository": "oven", "project": "Web", "update": "557852", "workItemIds": [item]}
    async with asking(world) as caller:
        opened = (await caller.call("fix_in_code", **asked))["structuredContent"]
        again = (await caller.call("fix_in_code", **asked))["structuredContent"]
    assert opened["pullRequestId"] == again["pullRequestId"]
    [request] = world.devops.pull_requests.opened
    assert request["isDraft"] is True
    assert request["targetRefName"] == "refs/heads/main"
    repository = world.devops.git.repositories[0]
    tree = repository.tree(repository.refs[request["sourceRefName"]])
    assert tree["/infra/app.bicep"].decode() == FIXED
    assert tree["/infra/cache.bicep"] == b"'Microsoft.Cache/redis@2024-03-01'"
    assert repository.tree(repository.refs["refs/heads/main"])["/infra/app.bicep"].decode() == BICEP


async def test_the_preview_shows_each_line_and_changes_nothing(world: World) -> None:
    async with asking(world, asks=True) as caller:
        shown = await caller.told("fix_in_code", repository="oven", project="Web", update="557852")
    assert "minTlsVersion: '1.2'" in shown
    assert world.devops.pull_requests.opened == []


REPLACING = [entry for entry in products().entries if entry.replace]


@pytest.mark.parametrize("entry", REPLACING, ids=lambda entry: entry.title.pattern)
def test_replacing_twice_is_replacing_once(entry: object) -> None:
    terms = CodeTerms("", entry.code, entry.replace)  # type: ignore[attr-defined]
    for old, new in terms.replace:
        assert terms.replaced(f" {old} ") == f" {new} "
        assert terms.replaced(new) == new


@given(st.text(max_size=40))
def test_other_text_stays_as_it_is(text: str) -> None:
    terms = CodeTerms("", (), (("Standard_B2s", "Standard_B2ls_v2"),))
    other = f"{text}Standard_B2s_v2"
    assert terms.replaced(other) == other
