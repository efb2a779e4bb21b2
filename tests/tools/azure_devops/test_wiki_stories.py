"""What people write into wikis and find there, on a service that remembers."""

from __future__ import annotations

import asyncio
import json

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
    assert "The item changed in the meantime" in told
    assert "get_wiki_page returns the page's current text and eTag" in told
    now = await given(caller, "get_wiki_page", **HERE)
    assert now["content"] == "Theirs"

    written = await given(caller, "update_wiki_page", **HERE, content="Theirs and mine", version=now["eTag"])
    assert written["id"] == created["id"], "the page is the same, so that links to it go on working"
    assert (await given(caller, "get_wiki_page", **HERE))["content"] == "Theirs and mine"
    again = f'"{written["eTag"].upper()}"'
    await given(caller, "update_wiki_page", **HERE, content="Ours", version=again)

    await given(caller, "delete_wiki_page", **HERE)
    assert "list_wiki_pages lists the pages" in await caller.told("get_wiki_page", **HERE)
    gone = await caller.told("update_wiki_page", **HERE, content="Mine", version=written["eTag"])
    assert "WikiPageNotFoundException" in gone


LONG = "# How we bake\n\n" + "".join(f"## Step {number}\n\n{'Wait. ' * 200}\n\n" for number in range(1, 40))


async def test_a_section_is_read_and_rewritten_without_the_page(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.wikis.add("Web.wiki", "/How we bake", LONG)
    read = await given(caller, "get_wiki_page", **HERE, section="Step 7")
    assert (read["section"], read["content"]) == ("How we bake > Step 7", f"## Step 7\n\n{'Wait. ' * 200}".rstrip())
    assert len(json.dumps(read)) / 4 < 500
    change = {"section": "Step 7", "content": "Do *not* wait.", "eTag": read["eTag"], "comment": "faster"}
    written = await given(caller, "update_wiki_section", **HERE, **change)
    assert "content" not in written
    whole = LONG.replace(f"## Step 7\n\n{'Wait. ' * 200}".rstrip(), "## Step 7\n\nDo *not* wait.")
    now = await given(caller, "get_wiki_page", **HERE)
    assert (now["content"], now["eTag"]) == (whole, written["eTag"])

    unchanged = await given(caller, "update_wiki_section", **HERE, **(change | {"eTag": now["eTag"].upper()}))
    assert (unchanged["unchanged"], unchanged["eTag"]) == (True, now["eTag"])
    assert [asked.method for asked in azure_devops.asked].count("PUT") == 1


async def test_a_section_of_a_page_that_was_changed_in_between_is_not_written(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    tag = azure_devops.wikis.add("Web.wiki", "/How we bake", "# A\n\nold\n").tag
    azure_devops.wikis.add("Web.wiki", "/How we bake", "# A\n\ntheirs\n")
    change = {"section": "A", "content": "mine", "eTag": tag}
    assert "read the section again" in await caller.told("update_wiki_section", **HERE, **change)
    assert azure_devops.wikis.pages["Web.wiki"]["/How we bake"].content == "# A\n\ntheirs\n"
    tag = azure_devops.wikis.pages["Web.wiki"]["/How we bake"].tag
    contents = ["mine", "also mine"]
    calls = [caller.call("update_wiki_section", **HERE, section="A", content=content, eTag=tag) for content in contents]
    failed = [result["isError"] for result in await asyncio.gather(*calls)]
    assert sorted(failed) == [False, True]
    kept = azure_devops.wikis.pages["Web.wiki"]["/How we bake"].content
    assert kept == f"# A\n\n{contents[failed.index(False)]}\n"


async def test_a_section_that_is_not_meant_clearly_is_not_touched(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    page = "# Oven\n\n## Notes\nhot\n\n```\n# Notes\n```\n# Grill\n## Notes\nhotter\n"
    tag = azure_devops.wikis.add("Web.wiki", "/How we bake", page).tag
    change = {"content": "cold", "eTag": tag}
    told = await caller.told("update_wiki_section", **HERE, **change, section="Notes")
    assert "2 sections are called 'Notes': [1] in line 3, [2] in line 10" in told
    told = await caller.told("update_wiki_section", **HERE, **change, section="Pan")
    assert "Sections of the page: Oven; Oven > Notes; Grill; Grill > Notes" in told
    told = await caller.told("update_wiki_section", **HERE, section="Oven", content="```\nx", eTag=tag)
    assert "Close all code blocks" in told
    assert azure_devops.wikis.pages["Web.wiki"]["/How we bake"].content == page
    await given(caller, "update_wiki_section", **HERE, **change, section="Notes [2]")
    now = await given(caller, "get_wiki_page", **HERE)
    assert now["content"] == page.replace("hotter", "cold")
    await given(caller, "update_wiki_section", **HERE, section="Oven > Notes", content="## Heat", eTag=now["eTag"])
    whole = (await given(caller, "get_wiki_page", **HERE))["content"]
    assert whole == "# Oven\n\n## Heat\n# Grill\n## Notes\ncold\n"


@pytest.mark.parametrize("page", ["# a\n" * 10_002, "x" * 1_000_001, "# a\n" + "-" * 999_990 + "\n# b\n"])
async def test_a_page_beyond_reading_is_refused_or_read_in_no_time(
    caller: Caller, azure_devops: FakeAzureDevOps, page: str
) -> None:
    azure_devops.wikis.add("Web.wiki", "/How we bake", page)
    told = await caller.told("get_wiki_page", **HERE, section="c")
    assert "read or update it as a whole" in told or "Section 'c' not found" in told


async def test_the_two_meanings_of_version_are_told_apart(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.wikis.add("Docs", "/Oven", "# Hot\n")
    commit = "0123456789abcdef0123456789abcdef01234567"
    azure_devops.wikis.commits = {commit}
    page = {"wikiId": "Docs", "path": "/Oven"}
    old = await given(caller, "get_wiki_page", **page, version=commit)
    assert old["content"] == "# Hot\n"
    [asked] = [asked for asked in azure_devops.asked if asked.path.endswith("/pages")]
    assert asked.query["versionDescriptor.versionType"] == "commit"
    told = await caller.told("update_wiki_page", **page, content="x", version="main")
    assert "version must be the eTag from get_wiki_page" in told
    assert "`branch`" in told
    told = await caller.told("update_wiki_section", **page, section="Hot", content="x", eTag="main")
    assert "eTag must be the eTag" in told
    section = {"section": "Hot", "content": "Hotter", "eTag": old["eTag"], "branch": "main"}
    await given(caller, "update_wiki_section", **page, **section)
    assert azure_devops.wikis.pages["Docs"]["/Oven"].content == "# Hot\n\nHotter\n"


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
    assert "The parent page must exist" in await caller.told("create_wiki_page", **below, content="x")
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
    assert "is not a valid page path" in await caller.told("get_wiki_page", wikiId="Web.wiki", path=path)
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
