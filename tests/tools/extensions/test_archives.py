"""Servers in archives of a registry of azd, as callers have them: installed by a tool, or named in the file."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import indent

from app.build import App
from tests.extensions.place import app_at, running
from tests.fakes.extension_sources.archives import GOOD, ID, Bakery, tar_of
from tests.mcp_server.caller import Caller
from tools.extensions.installing.settings import SourceSettings


@asynccontextmanager
async def shop(bakery: Bakery, entries: str = "", *others: Bakery) -> AsyncIterator[App]:
    bakeries = (bakery, *others)
    named = tuple(one.source for one in bakeries)
    sources = SourceSettings(sources=named, addresses=tuple(one.url for one in bakeries))
    async with running(app_at(bakery.folder, entries, sources=sources)) as app:
        yield app


def operator(app: App) -> Caller:
    return Caller(app.endpoint, "extensions-catalog,extensions")


async def test_one_is_found_shown_with_its_address_and_run_only_once_it_is_agreed_to(tmp_path: Path) -> None:
    bakery = Bakery(tmp_path)
    async with bakery.served():
        bakery.offer(tar_of(*GOOD))
        async with shop(bakery) as app:
            found = (await operator(app).call("search_extensions", query="bakery"))["structuredContent"]["servers"]
            assert (found[0]["server"], "cannotBeInstalled" in found[0]) == (ID, False)
            shown = await operator(app).told("install_extension", server=ID, read=["tell"])
            for part in (f"azd:{ID}@1.0.0", f"archive: {bakery.url}/bakery.tar.gz", "a package does not run before"):
                assert part in shown
            assert bakery.asked == []
            done = await operator(app).agreed("install_extension", server=ID, read=["tell"])
            assert done["structuredContent"]["name"] == "installed-example-bakery"
            assert await said(app) == ["serve"]
            bakery.offer(tar_of(*GOOD), "newer.tgz", "1.1.0")
            assert "newer.tgz" in await operator(app).told("update_extension", name="installed-example-bakery")
            await operator(app).agreed("update_extension", name="installed-example-bakery")
        async with shop(bakery) as app:
            assert await said(app) == ["serve"]
            assert bakery.asked == ["bakery.tar.gz", "newer.tgz"]


async def said(app: App) -> object:
    """The words that it was started with, which it tells."""
    answer = await Caller(app.endpoint, "installed-example-bakery").call("installed_example_bakery_tell")
    return answer["structuredContent"]["argv"]


async def test_of_two_sources_that_have_one_of_a_name_the_one_that_is_meant_gives_it(tmp_path: Path) -> None:
    one, other = Bakery(tmp_path), Bakery(tmp_path / "other")
    async with one.served(), other.served():
        one.offer(tar_of(*GOOD))
        other.offer(tar_of(*GOOD), "theirs.tgz")
        async with shop(one, "", other) as app:
            told = await operator(app).told("install_extension", server=ID, source=other.source)
            assert f"{other.url}/theirs.tgz" in told
            await operator(app).agreed("install_extension", server=ID, source=other.source, read=["tell"])
            assert await said(app) == ["serve"]
        assert (one.asked, other.asked) == ([], ["theirs.tgz"])


async def test_one_that_cannot_be_installed_is_found_with_the_reason(tmp_path: Path) -> None:
    bakery = Bakery(tmp_path)
    async with bakery.served():
        bakery.offer(tar_of(*GOOD), checksum={})
        async with shop(bakery) as app:
            found = (await operator(app).call("search_extensions", query="bakery"))["structuredContent"]["servers"]
            assert "has no sha256" in found[0]["cannotBeInstalled"]
            assert "has no sha256" in await operator(app).told("install_extension", server=ID)


async def test_one_that_the_file_names_is_installed_once_its_hash_is_written(tmp_path: Path) -> None:
    bakery = Bakery(tmp_path)
    entry = f"description: Bread.\npackage: azd:{ID}@1.0.0\narguments: [bake]\ntools: {{'*': read}}\n"
    async with bakery.served():
        bakery.offer(tar_of(*GOOD))
        async with shop(bakery, f"  bakery:\n{indent(entry, '    ')}") as app:
            told = json.dumps(await operator(app).call("list_extensions"))
        found = re.search(r"hash: sha256:[0-9a-f]{64}", told)
        assert found
        async with shop(bakery, f"  bakery:\n{indent(entry + found[0], '    ')}") as app:
            answer = await Caller(app.endpoint, "bakery").call("bakery_tell")
            assert answer["structuredContent"]["argv"] == ["bake"]
