"""Documents are seen within the reach of who asks: by roles and settings that name projects and repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.documents.devops import FakeDocs, id_of
from tests.tools.documents.world import Rules, World, answer, world

pytestmark = pytest.mark.anyio

SOURCES: Final = ("web", "web-wiki", "vault", "vault-wiki")
FILE: Final = """
sources:
  web: {repository: Web/shop, roles: [everyone]}
  web-wiki: {wiki: Web/Web.wiki, roles: [everyone]}
  vault: {repository: Vault/safe, roles: [everyone]}
  vault-wiki: {wiki: Vault/Vault.wiki, roles: [everyone]}
"""
# Everybody may read all of it in Azure DevOps itself: what is left out, a reach leaves out.
ALL: Final = {"Web/shop", "Web/Web.wiki", "Web/wiki-files", "Vault/safe", "Vault/Vault.wiki", "Vault/wiki-files"}
EVERYTHING: Final = "signed-in: {documents: read, devops-git: read, devops-wiki: read}\n"


def roles_of(**reaches: str) -> str:
    """Roles that open the same tools, each within a reach."""
    lines = [
        f"  {role}:\n    documents: read\n    devops-git: read\n    devops-wiki: read\n    reach: {{{reach}}}\n"
        for role, reach in reaches.items()
    ]
    return "roles:\n" + "".join(lines)


def devops() -> FakeDocs:
    fake = FakeDocs(readers={name: {"ada"} for name in ALL})
    for project in ("Web", "Vault"):
        name = "shop" if project == "Web" else "safe"
        fake.repositories[f"{project}/{name}"] = {"oven.md": f"# Oven of {project}\n\nThe grate.\n".encode()}
        fake.repositories[f"{project}/wiki-files"] = {"Page.md": f"# Page of {project}\n\nThe grate.\n".encode()}
        fake.wikis[f"{project}/{project}.wiki"] = (f"{project}/wiki-files", "")
    return fake


async def seen(opened: World, *roles: str) -> set[str]:
    """The sources of which anything is told, by whichever tool."""
    who = opened.person("ada", *roles)
    found = await answer(who, "docs_search", query="grate")
    listed = await answer(who, "list_document_sources")
    by_search = set(found["by_source"])
    assert by_search == {one["file_path"].partition("/")[0] for one in found["results"]}
    assert by_search == {one["source"] for one in listed["sources"]}
    assert found["total"] == len(by_search)
    for name in SOURCES:
        path = f"{name}/{'Page' if 'wiki' in name else 'oven'}.md"
        for tool in ("read_document", "docs_summarize"):
            assert bool((await who.call(tool, file_path=path)).get("isError")) is (name not in by_search), (tool, path)
    return by_search


REACHES: Final = {
    "projects: [Web]": {"web", "web-wiki"},
    "projects: [wEB]": {"web", "web-wiki"},
    f"projects: ['{id_of('Vault')}']": {"vault", "vault-wiki"},
    "projects: [Web, Vault]": set(SOURCES),
    "projects: [acme/Web]": {"web", "web-wiki"},
    "projects: [other/Web]": set(),
    "projects: [We]": set(),
    "projects: [None]": set(),
    "organizations: [acme]": set(SOURCES),
    "organizations: [other]": set(),
    "repositories: [Web/shop]": {"web"},
    "repositories: [Web/shop, Vault/wiki-files]": {"web", "vault-wiki"},
    "repositories: [Web/safe]": set(),
    "projects: [Vault], repositories: [Web/shop]": set(),
}


async def test_a_role_sees_the_documents_within_its_reach(tmp_path: Path) -> None:
    names = {f"Guest{number}": reach for number, reach in enumerate(REACHES)}
    async with world(tmp_path, FILE, devops(), rules=Rules.of(roles_of(**names))) as opened:
        await opened.read()
        for role, reach in names.items():
            assert await seen(opened, role) == REACHES[reach], reach
        assert await seen(opened, "Guest0", "Guest2") == set(SOURCES), "each role reaches for itself"
        assert await seen(opened, "Guest10", "Guest2") == {"web", "vault", "vault-wiki"}


async def test_a_reach_opens_nothing_that_azure_devops_does_not_show(tmp_path: Path) -> None:
    fake = devops()
    fake.readers = {"Web/shop": {"ada"}, "Vault/safe": {"bea"}}
    roles = roles_of(Guest="projects: [Web, Vault]")
    async with world(tmp_path, FILE, fake, rules=Rules.of(roles)) as opened:
        await opened.read()
        assert await seen(opened, "Guest") == {"web"}


LOCKS: Final[list[tuple[dict[str, str], set[str]]]] = [
    ({"ADO_ALLOWED_PROJECTS": "Web"}, {"web", "web-wiki"}),
    ({"ADO_ALLOWED_REPOSITORIES": "Web/shop"}, {"web"}),
    ({"ADO_ALLOWED_PROJECTS": "Nowhere"}, set()),
]


@pytest.mark.parametrize(("lock", "within"), LOCKS)
async def test_what_settings_lock_out_is_neither_read_nor_shown(
    tmp_path: Path, lock: dict[str, str], within: set[str]
) -> None:
    async with world(tmp_path, FILE, devops(), rules=Rules.of(EVERYTHING, **lock)) as opened:
        report = await opened.read()
        assert set(report.failed) == set(SOURCES) - within
        read = {path for who, path in opened.devops.asked if who == "own" and path.endswith("/items")}
        assert len(read) == len(within)
        assert await seen(opened) == within


async def test_a_lock_and_a_reach_narrow_each_other(tmp_path: Path) -> None:
    rules = Rules.of(roles_of(Guest="projects: [Vault]"), ADO_ALLOWED_PROJECTS="Web")
    async with world(tmp_path, FILE, devops(), rules=rules) as opened:
        await opened.read()
        assert await seen(opened, "Guest") == set()


async def test_a_source_that_was_read_before_it_was_locked_out_is_not_shown_any_more(tmp_path: Path) -> None:
    async with world(tmp_path, FILE, devops(), rules=Rules.of(EVERYTHING)) as opened:
        await opened.read()
        assert await seen(opened) == set(SOURCES)
    locked: Any = Rules.of(EVERYTHING, ADO_ALLOWED_PROJECTS="Web")
    async with world(tmp_path, FILE, devops(), rules=locked) as opened:
        assert await seen(opened) == {"web", "web-wiki"}
