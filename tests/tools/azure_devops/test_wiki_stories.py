"""What people write into wikis and find there, on a service that remembers."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given

HERE = {"wikiId": "Web.wiki", "path": "/How we bake"}
PAGE = "# How we bake\n\n<details>Slowly</details>\n\n1. knead & wait"


async def test_a_page_is_written_and_edited_and_nobody_is_overwritten(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    created = await given(caller, "create_wiki_page", **HERE, content=PAGE, comment="as agreed")
    read = await given(caller, "get_wiki_page", **HERE)
    assert (read["content"], read["eTag"], read["id"]) == (PAGE, created["eTag"], created["id"])

    azure_devops.wikis.add("Web.wiki", "/How we bake", "Theirs")
    told = await caller.told("update_wiki_page", **HERE, content="Mine", version=read["eTag"])
    assert "It was changed in between" in told
    assert "get_wiki_page gives its text and eTag as they are now" in told
    now = await given(caller, "get_wiki_page", **HERE)
    assert now["content"] == "Theirs"

    written = await given(caller, "update_wiki_page", **HERE, content="Theirs and mine", version=now["eTag"])
    assert written["id"] == created["id"], "the page is the same, so that links to it go on working"
    assert (await given(caller, "get_wiki_page", **HERE))["content"] == "Theirs and mine"
    again = f'"{written["eTag"].upper()}"'
    await given(caller, "update_wiki_page", **HERE, content="Ours", version=again)

    assert "confirm" in await caller.told("delete_wiki_page", **HERE)
    await given(caller, "delete_wiki_page", **HERE, confirm=HERE["path"])
    assert "list_wiki_pages names the pages" in await caller.told("get_wiki_page", **HERE)
    gone = await caller.told("update_wiki_page", **HERE, content="Mine", version=written["eTag"])
    assert "WikiPageNotFoundException" in gone


async def test_of_two_who_write_at_the_same_time_one_is_told(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    tag = azure_devops.wikis.add("Web.wiki", "/How we bake", "Old").tag
    texts = ["One", "Other"]
    calls = [caller.call("update_wiki_page", **HERE, content=text, version=tag) for text in texts]
    told = [result["isError"] for result in await asyncio.gather(*calls)]
    assert sorted(told) == [False, True]
    assert (await given(caller, "get_wiki_page", **HERE))["content"] == texts[told.index(False)]


async def test_a_page_that_is_there_is_not_created_again(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.wikis.add("Web.wiki", "/How we bake", "Theirs")
    told = await caller.told("create_wiki_page", **HERE, content="Mine")
    assert "update_wiki_page" in told
    assert azure_devops.wikis.pages["Web.wiki"]["/How we bake"].content == "Theirs"


async def test_a_page_wants_the_one_above_it(caller: Caller) -> None:
    below = {"wikiId": "Web.wiki", "path": "/Team/Rules"}
    assert "create_wiki_page makes the page above" in await caller.told("create_wiki_page", **below, content="x")
    await given(caller, "create_wiki_page", wikiId="Web.wiki", path="Team", content="")
    await given(caller, "create_wiki_page", **below, content="x")
    [team, rules] = (await given(caller, "list_wiki_pages", wikiId="Web.wiki", path="/Team"))["items"]
    assert (team["path"], team["hasSubPages"], rules["path"]) == ("/Team", True, "/Team/Rules")


async def test_all_pages_are_listed_in_pieces(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    for number in range(250):
        azure_devops.wikis.add("Web.wiki", f"/Page {number}", "x")
    azure_devops.wikis.add("Web.wiki", "/Page 1/Below", "x")
    everything = await given(caller, "list_wiki_pages", wikiId="Web.wiki", maxResults=300)
    assert (everything["count"], "more" in everything) == (251, False)
    cut = await given(caller, "list_wiki_pages", wikiId="Web.wiki", maxResults=150)
    assert (cut["count"], "more" in cut) == (150, True)
    level = await given(caller, "list_wiki_pages", wikiId="Web.wiki", recursive=False, maxResults=300)
    assert level["count"] == 251, "the root, and all but the page below another"


async def test_a_wiki_of_a_repository_is_written_on_a_branch(caller: Caller) -> None:
    [own, docs] = (await given(caller, "list_wikis"))["items"]
    assert (own["type"], docs["type"], docs["versions"]) == ("projectWiki", "codeWiki", [{"version": "main"}])
    page = {"wikiId": docs["id"], "path": "/Oven", "content": "Hot"}
    assert "should be 'branch'" in await caller.told("create_wiki_page", **page)
    written = await given(caller, "create_wiki_page", **page, branch="main")
    read = await given(caller, "get_wiki_page", wikiId="Docs", path="/Oven", version="main", includeContent=False)
    assert (read["eTag"], "content" in read) == (written["eTag"], False)
    assert "WikiNotFoundException" in await caller.told("get_wiki", wikiId="Nothing")
    assert "does not exist" in await caller.told("get_wiki_page", wikiId="Docs", path="/Oven", version="none")


@pytest.mark.parametrize("path", ["/a/../b", "..", "/a//b", "/a/", "/a\\b", "/a#b", "/a\x00", "/./a", "/" + "x" * 235])
async def test_what_no_page_can_have_as_its_path_is_not_even_sent(
    path: str, caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    assert "is not the path of a page" in await caller.told("get_wiki_page", wikiId="Web.wiki", path=path)
    assert azure_devops.asked == []


@pytest.mark.parametrize("path", ["/a...", "/.hidden", "/50% of x & y?=z+1", "/ü 😀", "/a: b", "/..."])
async def test_odd_titles_come_back_as_they_were(path: str, caller: Caller) -> None:
    await given(caller, "create_wiki_page", wikiId="Web.wiki", path=path, content="x")
    assert (await given(caller, "get_wiki_page", wikiId="Web.wiki", path=path))["path"] == path


async def test_code_pages_and_work_items_are_searched(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.search.files = {"/src/bake.py": "def bake():\n    pass\n\nbake()\n", "/README.md": "Bread"}
    azure_devops.wikis.add("Web.wiki", "/Team/Pre-bake it", "First bake it blind")
    bug = azure_devops.work_items.add("Web", "Bug", "Half-baked bread")
    azure_devops.work_items.add("Web", "Task", "Bake more")

    [file] = (await given(caller, "search_code", searchText="bake"))["items"]
    assert (file["path"], file["branch"]) == ("/src/bake.py", "main")
    assert file["lines"] == [{"line": 1, "text": "def bake():"}, {"line": 4, "text": "bake()"}]

    [page] = (await given(caller, "search_wiki", searchText="BAKE"))["items"]
    assert page["hits"] == ["First bake it blind"]
    read = await given(caller, "get_wiki_page", wikiId=page["wiki"], path=page["path"])
    assert read["content"] == "First bake it blind"

    [item] = (await given(caller, "search_work_item_text", searchText="bake", workItemTypes=["Bug"]))["items"]
    assert (item["id"], item["hits"]) == (str(bug), ["Half-baked bread"])
    cut = await given(caller, "search_work_item_text", searchText="bake", maxResults=1)
    assert (cut["count"], cut["total"], "more" in cut) == (1, 2, True)
    assert {asked.host for asked in azure_devops.asked if "/search/" in asked.path} == {"almsearch."}


async def test_a_server_is_searched_where_everything_else_is(azure_devops: FakeAzureDevOps) -> None:
    azure_devops.search.files = {"/bake.py": "bake()"}
    async with azure_devops.serving() as url, calling(Elsewhere(url), url, project="Web") as caller:
        assert (await given(caller, "search_code", searchText="bake"))["count"] == 1
    assert [asked.host for asked in azure_devops.asked] == ["any"]


async def test_a_search_says_what_it_could_not_do(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    assert "a word cannot begin with a wildcard" in await caller.told("search_code", searchText="*bake")
    azure_devops.search.info_code = 7
    found = await given(caller, "search_code", searchText="bake")
    assert "still being built" in found["note"]
