from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from clients.folder_storage import FolderStorage
from clients.storage import Storage, StorageError
from kept_index.reader import LOOK, IndexReader
from tests.fakes.storages import Clock
from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import FORMAT, World, open_index, record, records
from updates.keeping.store import PublishedUpdates, UpdatesStore

pytestmark = pytest.mark.anyio

Reader = IndexReader[dict[str, Any], PublishedUpdates]


@dataclass
class Watched:
    """Storage whose calls are counted, and which is slow or away when the test says so."""

    storage: Storage
    calls: Counter[str] = field(default_factory=Counter)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    away: bool = False

    def __post_init__(self) -> None:
        self.answers.set()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*args: Any) -> Any:
            self.calls[name] += 1
            self.called.set()
            await self.answers.wait()
            if self.away:
                raise StorageError("The storage is away.")
            return await getattr(self.storage, name)(*args)

        return call


@dataclass
class Library:
    """A store that can be synced, and a reader of it whose time stands still unless the test moves it."""

    world: World
    watched: Watched
    clock: Clock
    reader: Reader

    async def publish(self, title: str) -> None:
        self.world.api.records["100001"]["title"] = title
        await self.world.sync().reconcile()


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    api = UpdatesApi(records(5))
    watched, clock = Watched(FolderStorage(tmp_path, Clock())), Clock()
    reader: Reader = IndexReader(UpdatesStore(cast("Storage", watched)), open_index, FORMAT, clock)
    async with api.serving() as url:
        yield Library(World(watched.storage, api, url), watched, clock, reader)


async def background_is_done() -> None:
    looks = [task for task in asyncio.all_tasks() if task.get_name() == LOOK]
    if looks:
        await asyncio.wait(looks)


async def revision(reader: Reader) -> str | None:
    edition = await reader.edition()
    return edition.index["revision"] if edition else None


async def test_of_an_empty_store_there_is_nothing_yet(library: Library) -> None:
    assert await library.reader.edition() is None
    assert library.reader.failure is None


async def test_what_was_published_is_opened_by_whoever_asks_first(library: Library) -> None:
    await library.publish("First")
    edition = await library.reader.edition()
    assert edition
    assert edition.published == await library.world.store.published()
    assert set(edition.index["content"]) == set(library.world.api.records)


async def test_while_there_is_nothing_it_looks_again_soon(library: Library) -> None:
    assert await library.reader.edition() is None
    await library.publish("First")
    assert await library.reader.edition() is None
    library.clock.now += 2
    assert await revision(library.reader) == "1"


async def test_a_newer_index_is_swapped_in_within_a_minute_and_until_then_the_old_one_serves(library: Library) -> None:
    await library.publish("First")
    assert await revision(library.reader) == "1"
    await library.publish("Second")
    library.clock.now += 59
    assert await revision(library.reader) == "1"
    await background_is_done()
    assert await revision(library.reader) == "1"
    library.clock.now += 1
    assert await revision(library.reader) == "1"
    await background_is_done()
    assert await revision(library.reader) == "2"


async def test_however_many_ask_it_looks_once_a_minute(library: Library) -> None:
    await library.publish("First")
    await asyncio.gather(*(library.reader.edition() for _ in range(50)))
    assert library.watched.calls == {"read_file": 2}  # the pointer, and the index
    for minute in range(1, 4):
        library.clock.now += 60
        await asyncio.gather(*(library.reader.edition() for _ in range(50)))
        await background_is_done()
        assert library.watched.calls == {"read_file": 2 + minute}


async def test_no_request_waits_for_a_slow_storage_once_an_index_is_open(library: Library) -> None:
    await library.publish("First")
    await library.reader.edition()
    library.watched.answers.clear()
    library.clock.now += 60
    assert await revision(library.reader) == "1"
    library.watched.answers.set()
    await background_is_done()


async def test_freshness_moves_without_opening_the_index_again(library: Library) -> None:
    await library.publish("First")
    before = await library.reader.edition()
    report = await library.world.sync().reconcile()
    await library.reader.look()
    after = await library.reader.edition()
    assert before
    assert after
    assert after.index is before.index
    assert after.published.synced == report.started


async def test_an_index_is_opened_without_holding_up_the_event_loop(library: Library) -> None:
    threads: list[int] = []

    def remember(index: bytes) -> dict[str, Any]:
        threads.append(threading.get_ident())
        return open_index(index)

    await library.publish("First")
    await IndexReader(library.world.store, remember, FORMAT).edition()
    assert threads
    assert threading.get_ident() not in threads


async def test_storage_that_is_away_leaves_the_old_index_serving_and_says_so(library: Library) -> None:
    await library.publish("First")
    await library.reader.edition()
    library.watched.away = True
    library.clock.now += 60
    assert await revision(library.reader) == "1"
    await background_is_done()
    assert library.reader.failure == "The storage is away."
    library.watched.away = False
    library.clock.now += 60
    await library.reader.edition()
    await background_is_done()
    assert library.reader.failure is None


async def test_storage_that_is_away_before_anything_was_opened_is_an_error_that_passes(library: Library) -> None:
    await library.publish("First")
    library.watched.away = True
    for _ in range(3):
        with pytest.raises(StorageError):
            await library.reader.edition()
    assert library.watched.calls["read_file"] == 1
    library.watched.away = False
    library.clock.now += 2
    assert await revision(library.reader) == "1"


async def test_a_damaged_index_is_not_opened(library: Library) -> None:
    await library.publish("First")
    await library.reader.edition()
    await library.publish("Second")
    name = (await library.world.store.published()).index
    assert name
    await library.world.storage.remove_file(name)
    await library.world.storage.create_file(name, b"{}")
    with pytest.raises(StorageError, match="corrupt"):
        await library.reader.look()
    assert await revision(library.reader) == "1"
    assert library.reader.failure


async def test_an_index_that_cannot_be_opened_leaves_the_old_one_serving(library: Library) -> None:
    def open_first_only(index: bytes) -> dict[str, Any]:
        opened = open_index(index)
        if opened["revision"] != "1":
            raise ValueError("a defect in what opens it")
        return opened

    reader: Reader = IndexReader(library.world.store, open_first_only, FORMAT, library.clock)
    await library.publish("First")
    await reader.edition()
    await library.publish("Second")
    library.clock.now += 60
    await reader.edition()
    await background_is_done()
    assert await revision(reader) == "1"
    assert reader.failure == "a defect in what opens it"


async def test_an_index_that_was_removed_meanwhile_leaves_the_old_one_serving(library: Library) -> None:
    await library.publish("First")
    await library.reader.edition()
    await library.publish("Second")
    name = (await library.world.store.published()).index
    assert name
    await library.world.storage.remove_file(name)
    await library.reader.look()
    assert await revision(library.reader) == "1"


async def test_an_index_of_another_version_of_the_program_is_left_alone(library: Library) -> None:
    await library.publish("First")
    other: Reader = IndexReader(library.world.store, open_index, "test-2")
    assert await other.edition() is None


async def test_who_gives_up_waiting_for_the_first_index_stops_nobody_else(library: Library) -> None:
    await library.publish("First")
    library.watched.answers.clear()
    impatient = asyncio.create_task(library.reader.edition())
    patient = asyncio.create_task(library.reader.edition())
    await library.watched.called.wait()
    impatient.cancel()
    library.watched.answers.set()
    edition = await patient
    assert impatient.cancelled()
    assert edition


async def test_a_look_on_demand_sees_what_was_published_before_it(library: Library) -> None:
    await library.publish("First")
    await library.reader.edition()
    library.watched.answers.clear()
    library.clock.now += 60
    await library.reader.edition()  # begins a look, which hangs
    await library.publish("Second")
    library.world.api.records["another"] = record("another")
    look = asyncio.create_task(library.reader.look())
    library.watched.answers.set()
    await look
    assert await revision(library.reader) == "2"
