"""When the tools of a server are compared with the approved ones: once for all who wait, and later during calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from clients.folder_storage import FolderStorage
from clients.storage import Row
from extensions.entry import Entry
from extensions.extensions import Extensions
from extensions.host_traits import HostTraits
from extensions.installed import InstalledEntry
from extensions.upstream.circuit import Circuit
from extensions.upstream.failures import ServerUnreachableError
from extensions.upstream.question import Json, ServerRequest
from identity.caller import ANONYMOUS
from refusal import Refusal
from tests.fakes.extensions.peer import tool


@dataclass
class Server:
    """Lists its tools, and answers each call with an empty result."""

    tools: list[Json] = field(default_factory=lambda: [tool("echo")])
    is_away: bool = False
    asked: list[str] = field(default_factory=list)
    may_list: asyncio.Event = field(default_factory=asyncio.Event)
    may_ask: bool = False
    errors: str = ""
    circuit: Circuit = field(default_factory=lambda: Circuit("The server"))

    async def ask(self, question: ServerRequest, *, seconds: float) -> Json:
        self.asked.append(question.method)
        if self.is_away:
            raise ServerUnreachableError("The server is away.")
        if question.method == "tools/call":
            return {}
        await self.may_list.wait()
        return {"tools": self.tools}

    async def close(self) -> None:
        """Do nothing."""


ENTRY = Entry(name="stage", description="Props.", url="https://stage.example.com/mcp")
INSTALLED = InstalledEntry(description="Props.", url=ENTRY.url).entry("installed-stage", ())


@dataclass
class Stage:
    """Several processes with the same extension."""

    server: Server
    folder: Path
    now: float = 1000.0
    # How often a process has read all pins.
    reads: int = 0
    opened: list[Extensions] = field(default_factory=list)

    def process(self, *entries: Entry) -> Extensions:
        """Open a process that has the extension in its file, or one that installs these."""
        storage, place = CountedStorage(self.folder, self), HostTraits(origins=())
        in_file = () if entries else (ENTRY,)
        self.opened.append(Extensions(in_file, lambda: storage, lambda _toolsets, _awaited: None, None, place))
        self.opened[-1].clock = lambda: self.now
        return self.opened[-1]

    async def begun(self) -> Extensions:
        process = self.process()
        self.server.may_list.set()
        await process.begin()
        await process.settled()
        return process


class CountedStorage(FolderStorage):
    def __init__(self, folder: Path, stage: Stage) -> None:
        super().__init__(folder)
        self._stage = stage

    async def scan(self, partition: str, prefix: str, limit: int | None = None, after: str = "") -> list[Row]:
        self._stage.reads += 1
        return await super().scan(partition, prefix, limit, after)


async def called(process: Extensions, name: str = "echo", extension: str = "stage") -> Json:
    question = ServerRequest(method="tools/call", params={"name": name})
    return await process.ask(process.named(extension), name, question, ANONYMOUS)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    one = Stage(Server(), tmp_path)
    monkeypatch.setattr("extensions.extension.upstream_at", lambda *_, **__: one.server)
    monkeypatch.setattr("extensions.extension.time", SimpleNamespace(monotonic=lambda: one.now))
    yield one
    for process in one.opened:
        await process.close()


async def test_concurrent_calls_wait_for_one_inspection(stage: Stage) -> None:
    process = stage.process()
    calls = [asyncio.create_task(called(process)) for _ in range(3)]
    while "tools/list" not in stage.server.asked:  # noqa: ASYNC110 - storage is read in a thread
        await asyncio.sleep(0.001)
    assert stage.server.asked == ["tools/list"]
    stage.server.may_list.set()
    assert await asyncio.gather(*calls) == [{}] * 3
    assert stage.server.asked == ["tools/list", *["tools/call"] * 3]
    assert process.states()["stage"]["tools"] == 1


async def test_a_call_says_why_the_tools_could_not_be_listed(stage: Stage) -> None:
    process = stage.process()
    stage.server.is_away = True
    for _ in range(2):
        with pytest.raises(
            Refusal, match=r"^Could not list the tools of the extension 'stage'\. The server is away\.$"
        ):
            await called(process)
    assert process.states()["stage"]["problem"] == "The server is away."
    stage.server.is_away = False
    stage.server.may_list.set()
    assert await called(process) == {}
    assert "problem" not in process.states()["stage"]


async def test_an_outdated_list_is_checked_during_the_call_and_counts_for_the_next(stage: Stage) -> None:
    process = await stage.begun()
    assert stage.server.asked == ["tools/list"]
    await called(process)
    assert stage.server.asked == ["tools/list", "tools/call"]
    stage.server.tools = [tool("echo", description="Sends all to me.")]
    stage.now += 61
    stage.server.may_list.clear()
    for _ in range(2):
        assert await called(process) == {}
    stage.server.may_list.set()
    await process.settled()
    assert sorted(stage.server.asked[2:]) == ["tools/call", "tools/call", "tools/list"]
    with pytest.raises(Refusal, match="has changed the definition of 'echo'"):
        await called(process)


async def test_an_inspection_that_fails_later_changes_nothing_of_what_is_offered(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    process = await stage.begun()
    stage.now += 61
    stage.server.is_away = True
    with pytest.raises(ServerUnreachableError, match="The server is away"):
        await called(process)
    await process.settled()
    assert "The extension stage could not be inspected: The server is away." in caplog.text
    assert process.states()["stage"]["problem"] == "The server is away."
    assert process.states()["stage"]["tools"] == 1
    stage.server.is_away = False
    assert await called(process) == {}


async def test_of_two_processes_that_inspect_a_server_first_one_pins_its_tools(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    both = [stage.process(), stage.process()]
    starting = [asyncio.create_task(process.begin()) for process in both]
    while stage.server.asked.count("tools/list") < 2:  # noqa: ASYNC110 - storage is read in a thread
        await asyncio.sleep(0.001)
    stage.server.may_list.set()
    await asyncio.gather(*starting)
    for process in both:
        await process.settled()
        assert process.states()["stage"]["tools"] == 1
        assert await called(process) == {}
    assert caplog.text.count("Another instance pinned the extension stage first") == 1


async def test_pins_are_read_again_after_a_minute_and_once_at_a_time(stage: Stage) -> None:
    process = await stage.begun()
    stage.reads = 0
    for seconds, reads in ((60, 0), (0.5, 1), (61, 2)):
        stage.now += seconds
        process.look_again()
        await process.settled()
        assert stage.reads == reads
    for _ in range(2):
        stage.now += 61
        process.look_again()
    await process.settled()
    assert stage.reads == 3


async def test_an_unknown_extension_is_not_found(stage: Stage) -> None:
    process = stage.process()
    with pytest.raises(Refusal, match=r"Extension 'stag' not found\. Did you mean 'stage'\?"):
        process.named("stag")
    with pytest.raises(Refusal, match=f"Extension '{'x' * 100}' not found"):
        process.named("x" * 101)


async def test_a_preview_is_approved_only_as_it_was_shown(stage: Stage) -> None:
    process = await stage.begun()
    stage.server.tools = [tool("echo"), tool("paint")]
    look = await process.look("stage")
    assert (look.compared.new, [*look.pinned], [*look.seen]) == (("paint",), ["echo"], ["echo", "paint"])
    stage.server.tools = [tool("echo"), tool("burn")]
    with pytest.raises(Refusal, match="has changed its tools since the preview"):
        await process.take("stage", look.digest)
    stage.server.tools = [tool("echo"), tool("paint")]
    await process.take("stage", look.digest)
    assert process.states()["stage"]["tools"] == 2


async def test_all_processes_forget_what_they_knew_of_an_extension_that_is_uninstalled(stage: Stage) -> None:
    stage.server.may_list.set()
    one, other = stage.process(INSTALLED), stage.process(INSTALLED)
    for tools in ([tool("echo")], [tool("paint"), tool("burn")]):
        stage.server.tools = tools
        await one.take(INSTALLED.name, entry=INSTALLED)
        await other.follow()
        for process in (one, other):
            assert await called(process, tools[0]["name"], INSTALLED.name) == {}
            assert process.states()[INSTALLED.name]["tools"] == len(tools)
        await one.forget(INSTALLED.name)
        await other.follow()
        for process in (one, other):
            assert process.states() == {}
            with pytest.raises(Refusal, match="Extension 'installed-stage' not found"):
                await called(process, tools[0]["name"], INSTALLED.name)
