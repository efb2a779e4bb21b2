"""One sync at a time over all processes, whatever becomes of the one whose turn it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import pytest

from clients.storage import Storage
from kept_index.store import POINTER
from tests.fakes.mortality import KilledError, Life
from tests.fakes.storages import Place
from tests.sweeps import ALL
from tests.updates.syncing import World, build_index, synced
from updates.changes import StoredUpdate
from updates.keeping.store import UpdatesStore
from updates.packed import PackedValues
from updates.report import SyncOutcome

pytestmark = pytest.mark.anyio


class Sleeper(UpdatesStore):
    """A store whose process falls asleep in the middle of a run, until it is woken."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage)
        self.asleep, self.awake = asyncio.Event(), asyncio.Event()

    async def updates(self, ids: Collection[str] | None = None) -> PackedValues[StoredUpdate]:
        self.asleep.set()
        await self.awake.wait()
        return await super().updates(ids)


async def test_of_two_syncs_at_once_one_says_that_the_other_is_running(world: World) -> None:
    store = Sleeper(world.storage)
    first = asyncio.create_task(replace(world.sync(), store=store).reconcile())
    await store.asleep.wait()
    others = await asyncio.gather(world.sync().delta(), world.sync().reconcile())
    store.awake.set()
    assert [report.outcome for report in others] == [SyncOutcome.BUSY] * 2
    assert (await first).outcome is SyncOutcome.CHANGED
    assert await world.store.runs(limit=10) == [await first]
    await world.check_store_equals_feed()


async def test_of_many_syncs_at_once_one_does_the_work(world: World) -> None:
    reports = await asyncio.gather(*(world.sync().reconcile() for _ in range(4)))
    assert [report.outcome for report in reports].count(SyncOutcome.CHANGED) == 1
    assert {report.outcome for report in reports} <= {SyncOutcome.CHANGED, SyncOutcome.UNCHANGED, SyncOutcome.BUSY}
    await world.check_store_equals_feed()


# A prime number, so that runs are stopped before calls and after them. All of them at night.
EVERY_NTH: Final = 1 if ALL else 5


class Stopping:
    """Storage of a run that is stopped at one of its steps: before or after a call takes effect."""

    def __init__(self, storage: Storage, last_step: int) -> None:
        self._storage, self._last_step = storage, last_step
        self.steps = 0
        self.run: asyncio.Task[Any] | None = None

    async def step(self) -> None:
        self.steps += 1
        if self.run and self.steps == self._last_step:
            self.run.cancel()
            await asyncio.sleep(0)

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            await self.step()
            answer = await getattr(self._storage, name)(*args, **kwargs)
            await self.step()
            return answer

        return call


async def test_wherever_a_run_is_stopped_the_next_one_has_its_turn_at_once(world: World) -> None:
    stopped, last_step = True, 0
    while stopped:
        last_step += EVERY_NTH
        world.api.records["100007"]["title"] = f"As it is before step {last_step}"
        storage = Stopping(world.storage, last_step)
        storage.run = asyncio.create_task(
            replace(world.sync(), store=UpdatesStore(cast("Storage", storage))).reconcile()
        )
        await asyncio.wait([storage.run])
        stopped = storage.run.cancelled()
        assert (await world.sync().reconcile()).outcome is not SyncOutcome.BUSY, f"stopped at step {last_step}"
    assert last_step > 15
    await world.check_store_equals_feed()


async def test_who_finds_another_sync_running_is_told_since_when(world: World) -> None:
    store = Sleeper(world.storage)
    first = asyncio.create_task(replace(world.sync(), store=store).reconcile())
    await store.asleep.wait()
    told = (await world.sync().delta()).reason or ""
    store.awake.set()
    assert f"Another sync is running, since {(await first).started:%Y-%m-%d %H:%M:%S} UTC" in told


async def test_the_lease_of_a_dead_process_keeps_others_out_until_it_ends(world: World, somewhere: Place) -> None:
    with pytest.raises(KilledError):
        await world.sync(Life(last_step=20)).reconcile()
    assert (await world.sync().reconcile()).outcome is SyncOutcome.BUSY
    await somewhere.let_lease_run_out(POINTER)
    assert (await world.sync().reconcile()).outcome is SyncOutcome.CHANGED
    unfinished = (await world.store.runs(limit=10))[-1]
    assert unfinished.outcome is SyncOutcome.UNFINISHED
    await world.check_store_equals_feed()


@pytest.mark.parametrize("changed_by_the_other", [True, False])
@pytest.mark.parametrize("changed_by_the_sleeper", [True, False])
async def test_who_slept_through_the_end_of_its_lease_destroys_nothing(
    world: World, somewhere: Place, *, changed_by_the_other: bool, changed_by_the_sleeper: bool
) -> None:
    await synced(world)
    if changed_by_the_sleeper:
        world.api.records["100007"]["title"] = "As the sleeper read it"
    store = Sleeper(world.storage)
    asleep = asyncio.create_task(replace(world.sync(), store=store).reconcile())
    await store.asleep.wait()
    await somewhere.let_lease_run_out(POINTER)
    if changed_by_the_other:
        world.api.records["100007"]["title"] = "As it is now"
    await synced(world)
    store.awake.set()
    assert (await asleep).outcome is SyncOutcome.FAILED
    await world.check_store_equals_feed()


async def test_a_lease_is_renewed_while_the_work_goes_on(somewhere: Place, world: World) -> None:
    renewed = threading.Event()

    class Watched:
        def __getattr__(self, name: str) -> Any:
            if name == "renew":
                renewed.set()
            return getattr(world.storage, name)

    def slow_build(updates: Sequence[StoredUpdate], about: Mapping[str, str]) -> bytes:
        assert renewed.wait(timeout=30)
        return build_index(updates, about)

    store = UpdatesStore(cast("Storage", Watched()), renewal_seconds=0.01)
    report = await replace(world.sync(), store=store, build_index=slow_build).reconcile()
    assert report.outcome is SyncOutcome.CHANGED
