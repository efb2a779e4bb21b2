"""Sources of Azure DevOps ask what was agreed, and make of the answers what was agreed; also of recorded ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.connection import DevOpsConnection
from clients.azure_devops.organization import Organization
from documents.sources.declaration import Declared
from documents.sources.devops import DevOpsSource, root_of
from documents.sources.source import SourceError
from documents.sources_file import sources_in
from refusal import Refusal
from tests.fakes.azure_devops.service import Elsewhere
from tests.tools.azure_devops.calling import CLOUD, authorize
from tests.tools.azure_devops.data import recorded, with_data
from tests.tools.azure_devops.golden import Scripted, expected, seen
from tests.tools.golden import Case, cases_in

pytestmark = pytest.mark.anyio

CASES: Final = cases_in(Path(__file__).parent / "golden")
MOST: Final = 10_000


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest.fixture
async def devops(scripted: Scripted) -> AsyncIterator[AzureDevOps]:
    async with scripted.serving() as url, DevOpsConnection(transport=Elsewhere(url)) as connection:
        yield AzureDevOps(connection, Organization.at(CLOUD), authorize)


def declared(entry: Mapping[str, Any]) -> Declared:
    """A source as the documents file declares it."""
    text = yaml.safe_dump({"sources": {"handbook": {**entry, "roles": ["everyone"]}}})
    return sources_in(text, "documents.yaml")["handbook"]


def source_of(entry: Mapping[str, Any], devops: AzureDevOps) -> DevOpsSource:
    async def opened() -> AzureDevOps:
        return devops

    return DevOpsSource(declared(entry), opened)


async def read(source: DevOpsSource) -> dict[str, Any]:
    """Everything that is wanted of a source."""
    wanted = [entry for entry in await source.entries() if source.declared.wants(entry)]
    texts = {entry.path: await source.read(entry, MOST) for entry in wanted}
    return {
        "versions": {entry.path: entry.version for entry in wanted},
        "texts": {path: (content or b"").decode() for path, content in texts.items()},
        "links": {entry.path: await source.link(entry.path) for entry in wanted},
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_source_asks_and_reads_as_agreed(case: Case, scripted: Scripted, devops: AzureDevOps) -> None:
    scripted.play(case)
    source = source_of(case.arguments, devops)
    if case.told is not None:
        with pytest.raises(SourceError, match=case.told):
            await read(source)
    else:
        assert await read(source) == case.answer
    assert [seen(sent) for sent in scripted.sent] == [expected(exchange) for exchange in case.exchanges]


WIKI: Final = {"wiki": "Web/myprojectwiki"}
REPOSITORY: Final = {"repository": "Web/Shop", "below": "MyWebSite/MyWebSite/Views"}
ROOTS: Final = {
    "wiki": (
        WIKI,
        "GET dev.azure.com/acme/Web/_apis/wiki/wikis/myprojectwiki/pages",
        {"path": "/", "recursionLevel": "none"},
    ),
    # Whoever may read a repository may read its root, so a part of it is not asked for.
    "repository": (
        REPOSITORY,
        "GET dev.azure.com/acme/Web/_apis/git/repositories/Shop/items",
        {"scopePath": "/", "recursionLevel": "none"},
    ),
}


@pytest.mark.parametrize("kind", ROOTS)
async def test_who_may_read_a_source_is_asked_by_its_root(kind: str, scripted: Scripted, devops: AzureDevOps) -> None:
    entry, line, query = ROOTS[kind]
    scripted.play(Case(kind, kind, {}, [{"request": line, "query": query, "reply": {}}], {}, None))
    await devops.json(root_of(declared(entry)))
    [sent] = scripted.sent
    assert (sent.line, dict(sent.query)) == (line, {**query, "api-version": "7.1"})


def replies(*bodies: Any) -> Case:
    return Case("recorded", "recorded", {}, [{"reply": body} for body in bodies], {}, None)


def body_of(part: str, name: str) -> Any:
    [(_, recording)] = recorded(part, name)
    return (
        recording["response"]["body"] if "response" in recording else recording["example"]["responses"]["200"]["body"]
    )


@with_data
async def test_a_recorded_wiki_and_the_files_of_a_repository_are_read(scripted: Scripted, devops: AzureDevOps) -> None:
    wiki = body_of("recorded", "wiki-wikis_list-200-1")["value"][0]
    items = body_of("spec-examples", "git-items_list-3")
    scripted.play(replies(wiki, items), by_turns=True)
    found = await source_of(WIKI, devops).entries()
    files = [item for item in items["value"] if not item.get("isFolder")]
    assert {entry.path: entry.version for entry in found} == {item["path"][1:]: item["objectId"] for item in files}
    asked = scripted.sent[1]
    assert asked.path.endswith(f"/repositories/{wiki['repositoryId']}/items")
    assert asked.query["versionDescriptor.version"] == wiki["versions"][0]["version"]


@with_data
async def test_of_a_recorded_repository_a_part_is_read(scripted: Scripted, devops: AzureDevOps) -> None:
    items = body_of("spec-examples", "git-items_list-3")
    scripted.play(replies(items), by_turns=True)
    paths = [entry.path for entry in await source_of(REPOSITORY, devops).entries()]
    assert "Home/Index.cshtml" in paths
    assert len(paths) == len([item for item in items["value"] if not item.get("isFolder")])


@with_data
async def test_a_recorded_page_opens_and_a_recorded_refusal_closes_a_wiki(
    scripted: Scripted, devops: AzureDevOps
) -> None:
    scripted.play(replies(body_of("recorded", "wiki-pages_get-page-200-2")), by_turns=True)
    assert (await devops.json(root_of(declared(WIKI))))["gitItemPath"] == "/abc.md"
    missing = {"reply": body_of("recorded", "wiki-pages_get-page-404-1"), "status": 404}
    scripted.play(Case("missing", "wiki", {}, [missing], {}, None), by_turns=True)
    with pytest.raises(Refusal, match="WikiPageNotFoundException"):
        await devops.json(root_of(declared(WIKI)))
