"""The team's own documents, as a model searches and reads them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.documents.devops import FakeDocs, id_of
from tests.sweeps import Sweep
from tests.tools.documents.world import World, answer, world, written

HANDBOOK = {
    "guides/oven.md": (
        "# Oven\n\nHow the oven works.\n\n## Cleaning\n\nFirst wait.\n\nThen scrub the café's Öfen 🧽 grate.\n"
    ),
    "guides/dough.md": (
        "Dough\n=====\n\nKnead it for ten minutes.\n\nSetext\nof two lines\n---\n\nAnd rest the sourdough.\n"
    ),
    "news.html": "<h1>News</h1><script>steal()</script><p>The <b>bakery</b> opens early.</p>",
    "notes.txt": "plain notes\nabout flour\n",
    "picture.png": "no text",
}
FILE = """
sources:
  handbook:
    folder: file://{folder}
    roles: [everyone]
    link: https://docs.example.com/handbook
  ledger:
    folder: file://{ledger}
    roles: [Bookkeeper]
"""


@pytest.fixture
async def bakery(tmp_path: Path) -> AsyncIterator[World]:
    handbook = written(tmp_path / "handbook", HANDBOOK)
    ledger = written(tmp_path / "ledger", {"secret.md": "# Debts\n\nThe oven is not paid.\n"})
    async with world(tmp_path, FILE.format(folder=handbook, ledger=ledger)) as opened:
        await opened.read()
        yield opened


async def test_a_search_answers_the_passage_with_the_match_its_line_and_its_link(bakery: World) -> None:
    found = await answer(bakery.person(), "docs_search", query="scrub grates")
    (best,) = found["results"]
    assert best["file_path"] == "handbook/guides/oven.md"
    assert best["heading"] == "Cleaning"
    assert best["line"] == 9
    assert best["snippet"] == "First wait. Then **scrub** the café's Öfen 🧽 **grate**"
    assert best["link"] == "https://docs.example.com/handbook/guides/oven.md"
    assert best["score"] > 0
    assert best["modified"]
    assert (found["total"], found["by_source"]) == (1, {"handbook": 1})
    assert found["untrusted"].startswith("Documents are written by others")


@pytest.mark.parametrize(
    ("query", "file", "line"),
    [
        ("sourdough", "guides/dough.md", 10),
        ('"ten minutes"', "guides/dough.md", 4),
        ("bakery opens", "news.html", 3),
        ("flour", "notes.txt", 2),
        ("OFEN", "guides/oven.md", 9),
    ],
)
async def test_lines_are_those_of_the_file(bakery: World, query: str, file: str, line: int) -> None:
    best = (await answer(bakery.person(), "docs_search", query=query))["results"][0]
    assert (best["file_path"], best["line"]) == (f"handbook/{file}", line)


@pytest.mark.parametrize(
    ("path", "found"),
    [("guides", 1), ("guides/oven.md", 1), ("**/*.md", 1), ("*.md", 0), ("GUIDES/*", 1), ("guide", 0), ("**/o*.m?", 1)],
)
async def test_a_search_is_narrowed_by_path(bakery: World, path: str, found: int) -> None:
    assert (await answer(bakery.person(), "docs_search", query="scrub", path=path))["total"] == found


async def test_what_roles_do_not_open_is_as_if_it_were_not_there(bakery: World) -> None:
    stranger, keeper = bakery.person(), bakery.person("bob", "Bookkeeper")
    assert (await answer(stranger, "docs_search", query="debts paid"))["total"] == 0
    assert (await answer(keeper, "docs_search", query="debts paid"))["by_source"] == {"ledger": 1}
    assert await stranger.told("docs_search", query="oven", source="ledger") == (
        await stranger.told("docs_search", query="oven", source="nothing")
    ).replace("nothing", "ledger")
    assert await stranger.told("read_document", file_path="ledger/secret.md") == (
        await stranger.told("read_document", file_path="ledger/absent.md")
    ).replace("absent", "secret")
    listed = await answer(stranger, "list_document_sources")
    assert [source["source"] for source in listed["sources"]] == ["handbook"]
    assert (await answer(keeper, "read_document", file_path="ledger/secret.md"))["title"] == "Debts"


async def test_a_document_is_read_whole_by_section_and_by_lines(bakery: World) -> None:
    who = bakery.person()
    whole = await answer(who, "read_document", file_path="handbook/guides/oven.md")
    assert whole["text"].split("\n") == HANDBOOK["guides/oven.md"].rstrip().split("\n")
    assert whole["headings"] == ["# Oven", "## Cleaning"]
    section = await answer(who, "read_document", file_path="handbook/guides/oven.md", section="## cleaning")
    assert (section["first_line"], section["last_line"]) == (5, 9)
    some = await answer(who, "read_document", file_path="handbook/guides/oven.md", first_line=3, max_lines=1)
    assert (some["text"], some["more"]) == ("How the oven works.", True)
    refused = await who.told("read_document", file_path="handbook/guides/oven.md", section="Absent")
    assert "Oven; Cleaning" in refused


async def test_only_what_changed_is_read_and_what_is_gone_is_found_no_more(bakery: World, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    assert (await bakery.read()).read == 0
    (folder / "notes.txt").unlink()
    written(folder, {"guides/oven.md": "# Oven\n\nIt is of stone now.\n"})
    report = await bakery.read()
    assert (report.read, report.removed) == (1, 1)
    assert (await answer(bakery.person(), "docs_search", query="flour"))["total"] == 0
    assert (await answer(bakery.person(), "docs_search", query="scrub"))["total"] == 0
    assert (await answer(bakery.person(), "docs_search", query="stone"))["total"] == 1


async def test_a_folder_that_is_not_there_or_empty_loses_nothing(bakery: World, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.rename(tmp_path / "moved")
    assert (await bakery.read()).failed == ("handbook",)
    folder.mkdir()
    assert (await bakery.read()).failed == ("handbook",)
    assert (await answer(bakery.person(), "docs_search", query="scrub"))["total"] == 1
    listed = (await answer(bakery.person(), "list_document_sources"))["sources"][0]
    assert (listed["documents"], listed["failure"]) == (
        4,
        "The source returned an empty list, so its previous documents are kept.",
    )


async def test_links_out_of_a_folder_and_what_is_no_text_are_left_out(bakery: World, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    (folder / "link.md").symlink_to(tmp_path / "ledger" / "secret.md")
    (folder / "out").symlink_to(tmp_path / "ledger")
    (folder / "binary.md").write_bytes(b"# \xff\xfe\x00")
    (folder / "large.md").write_bytes(b"x" * 2_000_001)
    await bakery.read()
    assert (await answer(bakery.person(), "docs_search", query="debts"))["total"] == 0
    listed = (await answer(bakery.person(), "list_document_sources"))["sources"][0]
    assert {problem["path"] for problem in listed["problems"]} == {"binary.md", "large.md"}


@pytest.mark.parametrize("query", ["", "  ", '""', "the of and", "🧽"])
async def test_a_query_without_anything_to_look_for_is_refused(bakery: World, query: str) -> None:
    assert await bakery.person().told("docs_search", query=query)


@Sweep("query", ['"', "a" * 1000, "x:y AND (", "\\", '"oven" "', "[1 TO 2]", "\ud800 oven", "*" * 900], every=2)
async def test_no_text_breaks_a_search(bakery: World, query: str) -> None:
    await bakery.person().call("docs_search", query=query, path="[*" * 50 + "**/" * 30)


WIKI = """
sources:
  wiki:
    wiki: Shop/Shop.wiki
    roles: [everyone]
  code:
    repository: Shop/website
    branch: main
    below: docs
    files: ["**/*.md"]
    roles: [everyone]
"""


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    fake = FakeDocs(
        repositories={
            "Shop/Shop.wiki": {"Baking-at-night.md": b"# Night\n\nThe ovens rest.\n"},
            "Shop/website": {"docs/a/run.md": b"# Run\n\nStart the website.\n", "README.md": b"# Website\n"},
        },
        wikis={"Shop/Shop.wiki": ("Shop/Shop.wiki", "")},
        readers={"Shop/Shop.wiki": {"ada"}, "Shop/website": {"ada", "bob"}},
    )
    async with world(tmp_path, WIKI, fake) as opened:
        await opened.read()
        yield opened


async def test_pages_of_a_wiki_and_files_of_a_repository_are_found_with_links(shop: World) -> None:
    ada = shop.person("ada")
    (page,) = (await answer(ada, "docs_search", query="night ovens"))["results"]
    assert page["file_path"] == "wiki/Baking-at-night.md"
    assert page["link"] == (
        "https://dev.azure.com/acme/Shop/_wiki/wikis/Shop.wiki?pagePath=/Baking%20at%20night&anchor=night"
    )
    (file,) = (await answer(ada, "docs_search", query="website", source="code"))["results"]
    assert file["file_path"] == "code/a/run.md"
    assert file["link"] == (
        "https://dev.azure.com/acme/Shop/_git/website?path=/docs/a/run.md&version=GBmain"
        "&line=3&lineEnd=4&lineStartColumn=1&lineEndColumn=1"
    )


async def test_what_azure_devops_does_not_show_somebody_is_as_if_it_were_not_there(shop: World) -> None:
    bob = shop.person("bob")
    found = await answer(bob, "docs_search", query="night ovens website")
    assert (found["by_source"], "left_out" in found) == ({"code": 1}, False)
    assert "not found" in await bob.told("read_document", file_path="wiki/Baking-at-night.md")
    listed = await answer(bob, "list_document_sources")
    assert [source["source"] for source in listed["sources"]] == ["code"]


@pytest.mark.parametrize("status", [0, 429, 500, 503])
async def test_what_cannot_be_checked_is_left_out_and_said_so(shop: World, status: int) -> None:
    shop.devops.trouble["ada"] = status
    ada = shop.person("ada")
    found = await answer(ada, "docs_search", query="night ovens website")
    assert (found["results"], found["total"], found["left_out"]) == ([], 0, ["wiki", "code"])
    assert "did not confirm" in await ada.told("read_document", file_path="wiki/Baking-at-night.md")
    del shop.devops.trouble["ada"]
    assert (await answer(ada, "docs_search", query="night ovens"))["total"] == 1


async def test_rights_are_asked_in_the_name_of_each_caller_and_kept_for_a_minute(shop: World) -> None:
    shop.devops.asked.clear()
    for name in ("ada", "bob", "ada", "bob"):
        await answer(shop.person(name), "docs_search", query="night")
    assert sorted(who for who, _ in shop.devops.asked) == ["ada", "ada", "bob", "bob"]


async def test_a_connection_that_breaks_half_way_loses_nothing_and_is_gone_on_with(tmp_path: Path) -> None:
    files = {f"docs/{number}.md": f"# Page {number}\n\nText.\n".encode() for number in range(70)}
    fake = FakeDocs({"Shop/website": files}, readers={"Shop/website": {"ada"}}, files_until_it_breaks=40)
    file = "sources:\n  code: {repository: Shop/website, below: docs, roles: [everyone]}\n"
    async with world(tmp_path, file, fake) as opened:
        assert 32 <= (await opened.read()).read <= 40
        fake.files_until_it_breaks = None
        assert (await opened.read()).documents == 70
        found = await answer(opened.person("ada"), "docs_search", query="page text")
        assert found["total"] == 70


async def test_where_azure_devops_is_away_what_was_read_stays(shop: World) -> None:
    shop.devops.trouble["own"] = 503
    assert set((await shop.read()).failed) == {"wiki", "code"}
    assert (await answer(shop.person("ada"), "docs_search", query="night"))["total"] == 1


async def test_azure_devops_is_asked_in_the_words_of_its_documentation(shop: World) -> None:
    shop.devops.asked.clear()
    await shop.read()
    await answer(shop.person("ada"), "docs_search", query="night")
    assert [*shop.devops.asked[:3], *sorted(shop.devops.asked[3:], reverse=True)] == [
        ("own", "Shop/_apis/wiki/wikis/Shop.wiki"),
        ("own", f"Shop/_apis/git/repositories/{id_of('Shop/Shop.wiki')}/items"),
        ("own", "Shop/_apis/git/repositories/website/items"),
        ("ada", "Shop/_apis/wiki/wikis/Shop.wiki/pages"),
        ("ada", "Shop/_apis/git/repositories/website/items"),
    ]
