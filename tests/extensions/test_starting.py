"""An extension whose server does not answer when this server starts: callers are told, and nobody waits twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

import extensions.extensions
from app.build import App
from clients.folder_storage import FolderStorage
from extensions.entry import Entry
from extensions.extensions import Extensions
from extensions.host_traits import HostTraits
from extensions.installing.package import PackagedServer, package_in
from extensions.installing.packages import Packages
from extensions.offering import Replace
from identity.access import Access
from identity.grants import Grants
from mcp_server.catalog.catalog import Selection
from mcp_server.view import why_tool_absent
from refusal import Refusal
from tests.extensions.place import app_at
from tests.fakes.extensions.peer import Peer, served
from tests.mcp_server.caller import Caller

STARTING: Final = "The extension 'stage' is starting. Try again in a few seconds."
CALL: Final = {"name": "stage_echo", "arguments": {"text": "x"}}
A_MOMENT: Final = 0.01
FOREVER: Final = 1e6


class Hanging:
    """The server of an extension that answers nobody. `asked` is set when somebody waits."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.server = TestServer(web.Application())
        self.server.app.router.add_post("/mcp", self._answer)

    async def _answer(self, _request: web.Request) -> web.Response:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    def entry(self) -> str:
        url = self.server.make_url("/mcp")
        return f"  stage:\n    description: Props.\n    url: {url}\n    private: true\n    tools: {{'*': read}}\n"


@pytest.fixture
async def hanging() -> AsyncIterator[Hanging]:
    peer = Hanging()
    await peer.server.start_server(shutdown_timeout=0.1)
    yield peer
    await peer.server.close()


@pytest.fixture
async def app(hanging: Hanging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[App]:
    monkeypatch.setattr(extensions.extensions, "_SECONDS_TO_WAIT", A_MOMENT)
    app = app_at(tmp_path, hanging.entry())
    _ = app.endpoint
    await app.catalogs.begun()
    await hanging.asked.wait()
    yield app
    await app.close()


async def test_a_call_of_one_that_is_starting_is_told_to_come_again(app: App) -> None:
    caller = Caller(app.endpoint)
    assert (await caller.error("tools/call", CALL))["message"] == f"Unknown tool: 'stage_echo'. {STARTING}"
    assert STARTING in await caller.told("azure", learn=True, tool="stage")
    assert STARTING in (await Caller(app.endpoint, "stage").error("tools/list", {}))["message"]
    other = await caller.error("tools/call", {**CALL, "name": "stagecoach_echo"})
    assert "is starting" not in other["message"]


async def test_it_is_told_to_nobody_to_whom_the_extension_is_closed(app: App) -> None:
    closed = Grants.of([("clock", Access.READ)])
    assert why_tool_absent("stage_echo", app.catalogs.current.view(Selection()).absent) == STARTING
    assert not why_tool_absent("stage_echo", app.catalogs.current.view(Selection(), closed).absent)


async def test_no_later_start_waits_for_it(
    app: App, hanging: Hanging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions.extensions, "_SECONDS_TO_WAIT", FOREVER)
    later = app_at(tmp_path, hanging.entry())
    try:
        _ = later.endpoint
        async with asyncio.timeout(30):
            await later.catalogs.begun()
        assert STARTING in (await Caller(later.endpoint).error("tools/call", CALL))["message"]
    finally:
        await later.close()


async def test_while_pins_cannot_be_read_no_server_is_asked_and_afterwards_its_tools_are_offered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "kept"
    folder.write_text("a file, and no folder", encoding="ascii")
    peer, offered = Peer(), list[str]()
    async with served(peer):
        entry = Entry(name="stage", description="Props.", url=peer.url, is_private=True)
        replace: Replace = lambda toolsets, _: offered.extend(one.name for one in toolsets)  # noqa: E731
        found = Extensions([entry], lambda: FolderStorage(folder), replace)
        await found.begin()
        await found.settled()
        assert "Pins of extensions could not be read: Cannot use the storage" in caplog.text
        assert (peer.heard, offered, found.states()) == ([], [], {"stage": {"tools": 0}})
        folder.unlink()
        found.clock = lambda: FOREVER
        found.look_again()
        await found.settled()
        assert (offered, found.states()["stage"]["tools"]) == (["stage"], 1)
        await found.close()


async def test_whoever_waits_for_background_work_gets_its_unexpected_error() -> None:
    def broken() -> FolderStorage:
        raise ZeroDivisionError

    found = Extensions([], broken, lambda _toolsets, _awaited: None)
    found.look_again()
    with pytest.raises(ZeroDivisionError):
        await found.settled()
    await found.settled()
    await found.close()


async def test_what_was_opened_is_closed(tmp_path: Path) -> None:
    closed: list[str] = []

    class Storage(FolderStorage):
        async def close(self) -> None:
            closed.append("storage")

    class Closing(Packages):
        async def close(self) -> None:
            closed.append("packages")

    storage = Storage(tmp_path / "kept")
    for opened in ([], ["storage"]):
        closed.clear()
        place = HostTraits(packages=Closing(tmp_path, lambda: storage, {}))
        found = Extensions([], lambda: storage, lambda _toolsets, _awaited: None, None, place)
        if opened:
            await found.follow()
        await found.close()
        assert closed == ["packages", *opened]


async def test_an_entry_of_a_package_is_refused_where_nothing_is_installed(tmp_path: Path) -> None:
    entry = Entry(name="stage", description="Props.", package=PackagedServer(package=package_in("npm:stage@1.0.0")))
    found = Extensions([entry], lambda: FolderStorage(tmp_path), lambda _toolsets, _awaited: None)
    with pytest.raises(Refusal, match="Packages cannot be installed here"):
        await found.look("stage")
    await found.close()


async def test_one_that_answers_at_last_is_there(tmp_path: Path) -> None:
    peer = Peer(is_down=True)
    async with served(peer):
        app = app_at(
            tmp_path,
            f"  stage:\n    description: a\n    url: {peer.url}\n    private: true\n    tools: {{'*': read}}\n",
        )
        _ = app.endpoint
        await app.catalogs.begun()
        told = (await Caller(app.endpoint).error("tools/call", CALL))["message"]
        assert "is starting" not in told
        assert app.extensions
        peer.is_down = False
        app.extensions.clock = lambda: 1e9
        app.extensions.look_again()
        await app.extensions.settled()
        await Caller(app.endpoint, "stage").call("stage_echo", text="x")
        await app.close()
