"""Whoever comes over MCP and whoever comes over plain HTTP is told the same, and leaves the same behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.workspaces.git_server import git
from tests.mcp_server.caller import Caller, Json
from tests.tools.cosmos_data.calling import THEIRS
from tests.tools.cosmos_data.calling import office as records
from tests.tools.documents.world import world, written
from tests.tools.doors import DOORS, Play
from tests.tools.metrics.calling import sending
from tests.tools.shelves.world import library
from tests.tools.translation.calling import office as translation
from tests.tools.workspace.office import opened as workspaces

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Stage:
    """Who begins, what there is to look at afterwards, and an address that only this play has."""

    caller: Caller
    state: Callable[[], Awaitable[Json]]
    address: str = ""


@asynccontextmanager
async def records_of_two_tenants(_folder: Path) -> AsyncIterator[Stage]:
    async with records() as office:

        async def state() -> Json:
            there = office.database.get_container_client("prod-data").read_all_items()
            return sorted([(one["tenantId"], one["id"], one["n"]) async for one in there])

        await office.put({"id": "1", "tenantId": THEIRS, "n": 100})
        yield Stage(office.person(), state)


async def keeping_records(play: Play, _address: str) -> None:
    made = await play("cosmos_db_insert", document={"id": "1", "n": 1})
    await play("cosmos_db_insert", document={"id": "2", "n": 2})
    await play.refused("cosmos_db_insert", document={"id": "1"})
    patch = [{"op": "incr", "path": "/n", "value": 4}]
    patched = await play("cosmos_db_update", id="1", etag=made["etag"], patch=patch)
    await play.refused("cosmos_db_update", id="1", etag=made["etag"], patch=patch)
    await play("cosmos_db_update", id="1", etag=patched["etag"], document={"n": 6})
    await play("cosmos_db_query", query={"order": [{"field": "n", "descending": True}]})
    await play("cosmos_db_select", container="prod-data", sql="SELECT VALUE c.n FROM c")
    await play("cosmos_db_containers")
    read = await play("cosmos_db_read", id="2")
    await play("cosmos_db_delete", id="2", etag=read["etag"])
    await play.refused("cosmos_db_read", id="2")
    await play.refused("cosmos_db_query", tenant_id=THEIRS)
    await play.refused("cosmos_db_query", query={"where": [{"field": "1=1) OR (1=1"}]})


@asynccontextmanager
async def a_shelf_of_files(folder: Path) -> AsyncIterator[Stage]:
    async with library(folder) as opened:

        async def state() -> Json:
            return dict(opened.files)

        yield Stage(opened.mcp, state)


async def keeping_files(play: Play, _address: str) -> None:
    begun = await play("write_resource", uri="file:///runs/42.md", text="# Run 42\n")
    await play("write_resource", uri="file:///runs/43.bin", blob="AP8=")
    await play("list_shelf", prefix="file:///runs/")
    read = await play("read_resource", uri="file:///runs/42.md")
    await play("write_resource", uri="file:///runs/42.md", text=read["text"] + "cleaned\n", etag=read["etag"])
    await play.refused("write_resource", uri="file:///runs/42.md", text="late", etag=begun["etag"])
    await play.refused("read_resource", uri="file:///../secret")
    shown = await play.refused("delete_resource", uri="file:///runs/43.bin")
    await play.caller.approve(shown)
    await play("delete_resource", uri="file:///runs/43.bin")


@asynccontextmanager
async def a_handbook(folder: Path) -> AsyncIterator[Stage]:
    pages = {
        "guides/oven.md": "# Oven\n\nIt bakes.\n\n## Cleaning\n\nScrub the grate each evening.\n",
        "a.txt": "flour",
    }
    handbook = written(folder / "handbook", pages)
    ledger = written(folder / "ledger", {"debts.md": "# Debts\n\nThe grate is not paid.\n"})
    file = (
        f"sources:\n  handbook:\n    folder: file://{handbook}\n    roles: [everyone]\n"
        f"  ledger:\n    folder: file://{ledger}\n    roles: [Bookkeeper]\n"
    )
    async with world(folder, file) as opened:
        await opened.read()

        async def state() -> Json:
            return sorted(path.name for path in handbook.rglob("*"))

        yield Stage(opened.person(), state)


async def reading_documents(play: Play, _address: str) -> None:
    found = await play("docs_search", query="scrub the grate")
    await play("docs_search", query="grate", path="guides")
    await play("docs_summarize", file_path=found["results"][0]["file_path"])
    await play.refused("docs_search", query="grate", source="ledger")
    await play.refused("docs_summarize", file_path="ledger/debts.md")
    await play.refused("docs_search", query="")
    keeper = Caller(play.caller.endpoint, "all", {"x-claims": '{"oid": "bea", "roles": ["Bookkeeper"]}'})
    await play.by(keeper)("docs_search", query="grate")


@asynccontextmanager
async def a_translator(_folder: Path) -> AsyncIterator[Stage]:
    async with translation() as office:

        async def state() -> Json:
            return office.translator.asked

        yield Stage(office.caller, state)


async def translating(play: Play, _address: str) -> None:
    await play("translate", text="# Bread\n\nBake it in `oven.py` for {minutes} minutes.", target_lang="fr")
    await play("translate", text="Le pain", target_lang="en", source_lang="fr")
    await play.refused("translate", text="bread", target_lang="klingon")
    await play.refused("translate", text="", target_lang="fr")


@asynccontextmanager
async def a_git_server(folder: Path) -> AsyncIterator[Stage]:
    async with workspaces(folder) as office:

        async def state() -> Json:
            shop = office.server.folder / "shop.git"
            files = [git(shop, "show", f"feature/two:{path}") for path in ("src/app.py", "docs/note.md")]
            return files, git(shop, "for-each-ref", "--format=%(refname)"), git(shop, "log", "--format=%s", "--all")

        yield Stage(Caller(office.app.endpoint, "workspace"), state, f"{office.server.url}/shop.git")


async def working_in_a_repository(play: Play, address: str) -> None:
    await play("git_clone", repo_url=address)
    await play("git_branch", repo_dir="shop", branch="feature/two", create=True)
    read = await play("git_read", repo_dir="shop", path="src/app.py")
    edits = [{"old": "'one'", "new": "'two'"}]
    await play("git_write", repo_dir="shop", path="src/app.py", edits=edits, etag=read["etag"])
    await play("git_write", repo_dir="shop", path="docs/note.md", content="Two.\n")
    await play.refused("git_write", repo_dir="shop", path="src/app.py", content="late", etag=read["etag"])
    await play.refused("git_write", repo_dir="shop", path="../outside", content="x")
    await play("git_status", repo_dir="shop")
    await play("git_diff", repo_dir="shop")
    await play("git_commit", repo_dir="shop", message="Print two")
    await play("git_push", repo_dir="shop")
    await play("git_log", repo_dir="shop")
    await play.refused("git_clone", repo_url="https://example.com/shop.git")
    shown = await play.refused("git_drop", repo_dir="shop")
    await play.caller.approve(shown)
    await play("git_drop", repo_dir="shop")
    await play("git_workspaces")


@asynccontextmanager
async def an_ingestion(folder: Path) -> AsyncIterator[Stage]:
    async with sending(folder) as here:

        async def state() -> Json:
            return here.ingestion.metrics()

        yield Stage(here.somebody, state)


async def sending_metrics(play: Play, _address: str) -> None:
    await play("send_metric", metric_name="orders.paid", value=12.5, properties={"region": "eu"})
    await play("send_metric", metric_name="orders.paid", value=1, more=[{"metric_name": "queue/length", "value": 0}])
    await play.refused("send_metric", metric_name="", value=1)
    await play.refused("send_metric", metric_name="orders.paid", value="many")


STORIES: Final = {
    "records": (records_of_two_tenants, keeping_records),
    "files": (a_shelf_of_files, keeping_files),
    "documents": (a_handbook, reading_documents),
    "translation": (a_translator, translating),
    "workspaces": (a_git_server, working_in_a_repository),
    "metrics": (an_ingestion, sending_metrics),
}
Told = tuple[list[tuple[str, Json]], Json]


async def played(
    staging: Callable[[Path], AbstractAsyncContextManager[Stage]],
    story: Callable[[Play, str], Awaitable[None]],
    door: str,
    folder: Path,
) -> Told:
    async with staging(folder) as stage:
        play = Play(DOORS[door], stage.caller)
        await story(play, stage.address)
        return play.heard, await stage.state()


@pytest.mark.parametrize("name", STORIES)
async def test_a_story_through_either_door_is_told_alike_and_ends_in_the_same_state(tmp_path: Path, name: str) -> None:
    staging, story = STORIES[name]
    for door in DOORS:
        (tmp_path / door).mkdir()
    told = {door: await played(staging, story, door, tmp_path / door) for door in DOORS}
    (heard_over_mcp, left_by_mcp), (heard_over_rest, left_by_rest) = told["MCP"], told["REST"]
    assert heard_over_rest == heard_over_mcp
    assert left_by_rest == left_by_mcp
