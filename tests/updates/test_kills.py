"""Processes killed at every point of their work, and what the next one makes of it.

By default, a run is killed at the first and last step of each kind, and another only after it stored something, and at
kinds that the run before has not met. With `KILLS_OF_SYNCS=1`, every run is killed at every step.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from tests.fakes.mortality import KilledError, Life
from tests.fakes.storages import Clock
from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import NOON, World, moment, record, records
from updates.keeping.sync import UpdatesSync
from updates.report import SyncOutcome, SyncReport

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
EVERYWHERE = bool(os.environ.get("KILLS_OF_SYNCS"))
STORIES = 10 if EVERYWHERE else 2
LINES = range(4, 44, 4) if EVERYWHERE else (32,)
STORING = {"after put_rows", "after swap_file"}

Run = Callable[[UpdatesSync], Awaitable[SyncReport]]

# Runs over the store as it was before the feed went on, and over one that knows nothing yet.
RUNS: tuple[tuple[str, Run], ...] = (
    ("before", UpdatesSync.reconcile),
    ("before", UpdatesSync.delta),
    ("empty", UpdatesSync.reconcile),
    ("empty", UpdatesSync.delta),
)
TRIED = RUNS if EVERYWHERE else RUNS[:2]


@dataclass
class Scene:
    """A store of 130 updates, and a feed that has gone on since: three batches of changes wait in it."""

    folder: Path
    api: UpdatesApi
    url: str

    async def set_up(self) -> None:
        await self.world("before").sync().reconcile()
        for number in range(0, 120, 2):
            self.api.records[f"{100_000 + number}"] |= {"title": f"Edited {number}", "modified": moment(NOON)}
        for update_id in ("100121", "100123"):
            del self.api.records[update_id]
        for number in range(50):
            self.api.records[f"new{number}"] = record(f"new{number}", modified=moment(NOON))

    def world(self, name: str, clock: Callable[[], float] | None = None) -> World:
        return World(FolderStorage(self.folder / name, clock or Clock()), self.api, self.url)

    def copy(self, name: str, clock: Clock) -> World:
        """The store as it was before the feed went on; of the name `empty`, one that knows nothing yet."""
        shutil.rmtree(self.folder / "try", ignore_errors=True)
        if name != "empty":
            shutil.copytree(self.folder / name, self.folder / "try")
        return self.world("try", clock)


@pytest.fixture(scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    api = UpdatesApi(records(130))
    async with api.serving() as url:
        scene = Scene(tmp_path_factory.mktemp("kills"), api, url)
        await scene.set_up()
        yield scene


async def what_is_stored(world: World) -> Any:
    """All that anybody can see of a store, but for when it was."""
    published = await world.store.published()
    changes = sorted((found.id, found.kind, found.edits) for found in await world.store.changes(limit=10_000))
    known = {key: (stored.update, bool(stored.withdrawn)) for key, stored in (await world.store.updates()).items()}
    return await world.check_readers_see_a_whole_index(), changes, known, published.checkpoint


async def killed(world: World, run: Run, last_step: int) -> None:
    with pytest.raises(KilledError):
        await run(world.sync(Life(last_step)))


async def lived(world: World, run: Run) -> Life:
    life = Life()
    assert (await run(world.sync(life))).outcome is SyncOutcome.CHANGED
    return life


def steps_to_end_at(life: Life, met: Collection[str]) -> Iterator[int]:
    """The steps of a run at which another is ended, where steps of these kinds have been met before."""
    if EVERYWHERE:
        yield from range(1, life.steps + 1)
    else:
        passed_over = {*met} - STORING
        yield from (number for number in life.of_each_kind if life.taken[number - 1] not in passed_over)


async def test_wherever_a_run_is_killed_the_next_one_reaches_the_same(scene: Scene) -> None:
    clock = Clock()
    met: set[str] = set()
    for name, run in TRIED:
        world = scene.copy(name, clock)
        index_before = await world.check_readers_see_a_whole_index()
        life = await lived(world, run)
        expected = await what_is_stored(world)
        assert life.steps > 35
        for last_step in steps_to_end_at(life, met):
            world = scene.copy(name, clock)
            await killed(world, run, last_step)
            assert await world.check_readers_see_a_whole_index() in (index_before, expected[0])
            clock.now += 61
            await run(world.sync())
            assert await what_is_stored(world) == expected, f"killed at step {last_step}, {life.taken[last_step - 1]}"
        met |= {*life.taken}


async def test_wherever_the_storage_fails_the_run_says_so_and_the_next_one_reaches_the_same(scene: Scene) -> None:
    clock = Clock()
    met: set[str] = {"before sending", "after sending"}
    for name, run in RUNS[::2] if EVERYWHERE else RUNS[:1]:
        world = scene.copy(name, clock)
        life = await lived(world, run)
        expected = await what_is_stored(world)
        for step in steps_to_end_at(life, met):
            world = scene.copy(name, clock)
            report = await run(world.sync(Life(outages=range(step, 1000))))  # it stays away for the rest of the run
            if report.outcome is not SyncOutcome.FAILED:
                assert await what_is_stored(world) == expected, "it says that it is done"
            clock.now += 61
            await run(world.sync())
            assert await what_is_stored(world) == expected, f"storage away from step {step}, {life.taken[step - 1]}"
        met |= {*life.taken}


async def test_however_often_runs_are_killed_the_first_that_lives_reaches_the_same(scene: Scene) -> None:
    clock = Clock()
    world = scene.copy("before", clock)
    steps = (await lived(world, UpdatesSync.reconcile)).steps
    expected = await what_is_stored(world)
    chance = random.Random(7)  # noqa: S311 - the same kills every time
    for _ in range(STORIES):
        world = scene.copy("before", clock)
        for _ in range(4):
            await killed(
                world, chance.choice([UpdatesSync.delta, UpdatesSync.reconcile]), chance.randint(1, steps // 2)
            )
            clock.now += 61
        await world.sync().reconcile()
        assert await what_is_stored(world) == expected


async def started(scene: Scene) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "tests.updates.sync_process", str(scene.folder / "try"), scene.url]
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)


async def test_processes_at_once_do_the_work_of_one(scene: Scene) -> None:
    clock = Clock()
    reference = scene.copy("before", clock)
    await reference.sync().reconcile()
    expected = await what_is_stored(reference)
    world = scene.copy("before", clock)
    processes = [await started(scene) for _ in range(3)]
    said = [(await process.communicate())[0].decode().splitlines()[-1] for process in processes]
    assert len([line for line in said if line.startswith("reconcile changed")]) == 1, said
    assert await what_is_stored(world) == expected


@pytest.mark.parametrize("last_line", LINES)
async def test_a_process_that_is_really_killed_loses_and_tears_nothing(scene: Scene, last_line: int) -> None:
    clock = Clock()
    reference = scene.copy("before", clock)
    await reference.sync().reconcile()
    expected = await what_is_stored(reference)
    scene.copy("before", clock)

    process = await started(scene)
    assert process.stdout
    for _ in range(last_line):
        assert await process.stdout.readline()
    process.kill()
    await process.communicate()

    later = scene.world("try", lambda: time.time() + 61)
    assert (await later.sync().reconcile()).outcome in {SyncOutcome.CHANGED, SyncOutcome.UNCHANGED}
    assert await what_is_stored(later) == expected
