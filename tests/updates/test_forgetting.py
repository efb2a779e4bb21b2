"""What is kept of the past: enough to look back, and not more every day."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from clients.folder_storage import FolderStorage
from clients.storage import BATCH_ROWS, Row
from kept_index.store import POINTER
from tests.fakes.mortality import KilledError, Life
from tests.fakes.storages import Place
from tests.updates.syncing import NOON, World, log, record, synced
from updates.changes import ChangeKind, UpdateChange
from updates.keeping.entries import CHANGE_LOGGED
from updates.keeping.store import RUNS_KEPT, UpdatesStore
from updates.report import SyncKind, SyncReport

pytestmark = pytest.mark.anyio

YEAR = timedelta(days=365)


async def with_a_long_past(world: World) -> None:
    """Three changes of more than a year ago, one of lately, and a few runs too many."""
    await synced(world)
    for title in ("First", "Second", "Third"):
        world.api.records["100007"] = record(7, title=title)
        await synced(world)
    world.times.now += YEAR
    world.api.records["100009"] = record(9, title="Lately")
    await synced_by_delta(world)
    for number in range(RUNS_KEPT):
        await world.store.record(SyncReport(SyncKind.DELTA, NOON + timedelta(days=1, minutes=number)))


async def synced_by_delta(world: World) -> None:
    await world.sync().delta()


async def runs(world: World) -> int:
    return len(await world.store.runs(limit=10_000))


async def test_a_reconcile_forgets_changes_of_more_than_a_year_ago_and_all_but_the_last_runs(world: World) -> None:
    await with_a_long_past(world)
    assert len(await log(world)) == 4
    assert await runs(world) > RUNS_KEPT
    report = await synced(world)
    assert [found[0] for found in await log(world)] == ["100009"]
    assert await runs(world) == RUNS_KEPT
    assert (await world.store.runs(limit=1))[0] == report
    await world.check_store_equals_feed()


async def test_a_delta_forgets_nothing(world: World) -> None:
    await with_a_long_past(world)
    await synced_by_delta(world)
    assert len(await log(world)) == 4
    assert await runs(world) > RUNS_KEPT


async def test_wherever_it_is_killed_the_next_run_forgets_the_rest(world: World, somewhere: Place) -> None:
    await with_a_long_past(world)
    killed, last_step = True, 0
    while killed:
        last_step += 7
        try:
            await world.sync(Life(last_step)).reconcile()
            killed = False
        except KilledError:
            await somewhere.let_lease_run_out(POINTER)
            assert (await world.store.changes(limit=1))[0].id == "100009"
    assert [found[0] for found in await log(world)] == ["100009"]
    assert await runs(world) == RUNS_KEPT
    await world.check_store_equals_feed()


async def test_one_night_removes_a_bounded_number_and_the_next_ones_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("updates.keeping.store.MOST_REMOVED", most := 5 * BATCH_ROWS)
    storage = FolderStorage(tmp_path)
    store, head = UpdatesStore(storage), Row("head", b"")
    for number in range(6):
        change = UpdateChange("1", "A title", ChangeKind.EDITED, NOON)
        keys = (f"change:{number:03}:{place:02}" for place in range(BATCH_ROWS))
        head = await storage.put_rows("updates", head, [Row(key, CHANGE_LOGGED.pack(change)) for key in keys])
    everything = len(await store.changes(limit=10_000))
    await store.forget(NOON + timedelta(days=1))
    assert len(await store.changes(limit=10_000)) == everything
    await store.forget(NOON + YEAR + timedelta(days=1))
    assert len(await store.changes(limit=10_000)) == everything - most > 0
    await store.forget(NOON + YEAR + timedelta(days=1))
    assert await store.changes(limit=10_000) == []
