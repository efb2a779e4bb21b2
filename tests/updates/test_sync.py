"""What a sync does to the store, on both storages."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clients.folder_storage import FolderStorage
from kept_index.store import POINTER
from tests.fakes.mortality import KilledError, Life
from tests.fakes.storages import Place
from tests.fakes.updates.api import Trouble, UpdatesApi
from tests.sweeps import share
from tests.updates.syncing import NOON, Times, World, log, moment, record, records, synced
from updates.changes import ChangeKind, FieldEdit, UpdateChange
from updates.keeping.store import Suspicion
from updates.report import SyncKind, SyncOutcome

pytestmark = pytest.mark.anyio


async def test_the_first_sync_stores_everything_and_calls_nothing_news(world: World) -> None:
    report = await world.sync().delta()
    assert (report.kind, report.outcome, report.received, report.added) == (
        SyncKind.RECONCILE,
        SyncOutcome.CHANGED,
        60,
        60,
    )
    assert await log(world) == []
    await world.check_store_equals_feed()


async def test_a_sync_that_finds_nothing_new_only_says_that_it_looked(world: World) -> None:
    await synced(world)
    before = await world.store.published()
    report = await world.sync().delta()
    after = await world.store.published()
    assert report.outcome is SyncOutcome.UNCHANGED
    assert after == replace(before, synced=report.started)
    assert before.synced
    assert report.started > before.synced


async def test_what_is_published_after_the_first_sync_is_news(world: World) -> None:
    await synced(world)
    world.api.records["new"] = record("new", modified=moment(NOON))
    report = await world.sync().delta()
    assert (report.kind, report.outcome, report.added) == (SyncKind.DELTA, SyncOutcome.CHANGED, 1)
    assert await log(world) == [("new", ChangeKind.ADDED)]
    await world.check_store_equals_feed()


async def test_an_edit_that_keeps_modified_is_found_by_a_reconcile_with_before_and_after(world: World) -> None:
    await synced(world)
    world.api.records["100007"] |= {"title": "Public Preview: Machine 7b", "tags": ["Features", "Compute"]}
    report = await world.sync().reconcile()
    (change,) = await world.store.changes(limit=10)
    edits = (
        FieldEdit("title", "Public Preview: Machine 7", "Public Preview: Machine 7b"),
        FieldEdit("tags", ("Features",), ("Features", "Compute")),
    )
    assert report.edited == 1
    assert change == UpdateChange("100007", "Public Preview: Machine 7b", ChangeKind.EDITED, report.started, edits)
    await world.check_store_equals_feed()


async def test_availabilities_are_logged_as_they_were_and_are(world: World) -> None:
    await synced(world)
    world.api.records["100007"]["availabilities"] = []
    await synced(world)
    (change,) = await world.store.changes(limit=10)
    (edit,) = change.edits
    assert (edit.field, edit.after) == ("availabilities", ())
    await world.check_store_equals_feed()


async def test_the_log_is_newest_first(world: World) -> None:
    await synced(world)
    for number in range(6):
        world.api.records["100007"]["title"] = f"Title {number}"
        await synced(world)
    changes = await world.store.changes(limit=5)
    assert [change.title for change in changes] == [f"Title {number}" for number in range(5, 0, -1)]


async def test_what_was_withdrawn_is_kept_and_marked(world: World) -> None:
    await synced(world)
    gone = world.api.records.pop("100007")
    report = await world.sync().reconcile()
    known = (await world.store.updates(["100007"]))["100007"]
    assert report.withdrawn == 1
    assert (known.update.title, known.withdrawn) == (gone["title"], report.started)
    assert (await world.sync().reconcile()).outcome is SyncOutcome.UNCHANGED
    await world.check_store_equals_feed()


async def test_what_comes_back_is_restored_with_its_edits(world: World) -> None:
    await synced(world)
    gone = world.api.records.pop("100007")
    await synced(world)
    world.api.records["100007"] = {**gone, "status": "Launched"}
    assert (await synced(world)).restored == 1
    change, *_ = await world.store.changes(limit=1)
    assert (change.kind, change.edits) == (ChangeKind.RESTORED, (FieldEdit("status", "In preview", "Launched"),))
    await world.check_store_equals_feed()


async def test_a_delta_withdraws_nothing(world: World) -> None:
    await synced(world)
    del world.api.records["100059"]
    assert (await world.sync().delta()).outcome is SyncOutcome.UNCHANGED


@pytest.mark.parametrize(("days_late", "delta_finds"), [(0, 1), (6, 1), (8, 0)])
async def test_what_is_published_late_is_found(world: World, days_late: int, delta_finds: int) -> None:
    world.api.records["newest"] = record("newest", modified=moment(NOON - timedelta(hours=1)))
    await synced(world)
    early = NOON - timedelta(hours=1, days=days_late)
    world.api.records["late"] = record("late", modified=moment(early))
    assert (await world.sync().delta()).added == delta_finds
    assert (await world.sync().reconcile()).added == 1 - delta_finds
    await world.check_store_equals_feed()


@pytest.mark.parametrize("modified", ["2099-01-01T00:00:00Z", "0001-01-01T00:00:00", "0001-01-01T00:00:00+23:59"])
async def test_an_impossible_date_does_not_hide_what_comes_later(world: World, modified: str) -> None:
    world.api.records["odd"] = record("odd", modified=modified)
    await synced(world)
    world.api.records["new"] = record("new", modified=moment(NOON))
    assert (await world.sync().delta()).added == 1


async def test_a_quiet_day_does_not_move_the_checkpoint(world: World) -> None:
    await synced(world)
    before = await world.store.published()
    world.times.now += timedelta(days=60)
    await world.sync().delta()
    assert (await world.store.published()).checkpoint == before.checkpoint


async def test_a_shrunken_feed_is_refused_and_nothing_is_lost(world: World) -> None:
    await synced(world)
    before, known = await world.store.published(), await world.store.updates()
    world.api.records = dict(list(world.api.records.items())[:56])
    world.api.records["100001"]["title"] = "Edited"
    report = await world.sync().reconcile()
    assert report.outcome is SyncOutcome.REFUSED
    assert report.reason
    assert "6.7 %" in report.reason
    published = await world.store.published()
    assert (replace(published, suspicion=None), await world.store.updates()) == (before, known)
    suspicion = published.suspicion
    assert suspicion is not None
    assert suspicion.code.startswith("missing-")
    expected = Suspicion(SyncKind.RECONCILE, report.started, f"The sync was rejected: {report.reason}", suspicion.code)
    assert suspicion == replace(expected, since=report.started)
    (run, *_) = await world.store.runs(limit=1)
    assert run == report


async def test_how_much_may_be_withdrawn_is_a_setting(world: World) -> None:
    await synced(world)
    world.api.records = dict(list(world.api.records.items())[:56])
    assert (await world.sync(largest_withdrawal=10).reconcile()).withdrawn == 4
    await world.check_store_equals_feed()


@pytest.mark.parametrize("stored", [True, False])
async def test_an_empty_feed_is_refused(world: World, *, stored: bool) -> None:
    if stored:
        await synced(world)
    world.api.records = {}
    assert (await world.sync().reconcile()).outcome is SyncOutcome.REFUSED
    assert len(await world.store.updates()) == (60 if stored else 0)


async def test_a_record_that_became_malformed_keeps_what_was_known(world: World) -> None:
    await synced(world)
    whole = world.api.records["100007"]
    world.api.records["100007"] = {**whole, "title": None}
    report = await world.sync().reconcile()
    assert (report.outcome, report.malformed) == (SyncOutcome.UNCHANGED, 1)
    assert report.malformed_examples[0].id == "100007"
    world.api.records["100007"] = whole
    await world.check_store_equals_feed()


async def test_as_long_as_a_record_has_no_id_nothing_is_withdrawn(world: World) -> None:
    await synced(world)
    world.api.records["100007"] |= {"id": None}
    report = await world.sync().reconcile()
    assert (report.outcome, report.withdrawn) == (SyncOutcome.UNCHANGED, 0)
    assert report.reason == "Nothing was withdrawn, because a record has no readable id."


async def test_what_a_reading_missed_although_its_count_agrees_is_not_withdrawn(world: World) -> None:
    await synced(world)
    asked = len(world.api.requests)

    def exchange(number: int) -> None:
        if number == asked + 3:  # between the first page and the second, everything moves up by one
            world.api.records["100007x"] = world.api.records.pop("100007") | {"id": "200000"}

    world.api.before_request = exchange
    report = await world.sync().reconcile()
    assert (report.reason, report.withdrawn, report.added) == (None, 0, 1)
    assert not (await world.store.updates(["100020"]))["100020"].withdrawn


async def test_an_index_of_another_format_is_built_anew(world: World) -> None:
    await synced(world)
    newer = replace(world.sync(), index_format="test-2")
    assert (await newer.delta()).outcome is SyncOutcome.UNCHANGED
    assert (await world.store.published()).index_format == "test-2"
    await world.check_store_equals_feed()


async def test_indexes_are_removed_once_nobody_can_still_be_reading_them(tmp_path: Path) -> None:
    api, times = UpdatesApi(records(20)), Times()
    async with api.serving() as url:
        world = World(FolderStorage(tmp_path, times.timestamp), api, url, times)
        names = []
        for minutes in (0, 200, 20, 20, 20, 20, 20, 200):
            times.now += timedelta(minutes=minutes)
            api.records["100001"]["title"] = f"At {times.now}"
            await synced(world)
            names.append((await world.store.published()).index)
            kept = {entry.name for entry in await world.storage.list_files("indexes/")}
            assert names[-3:] == [name for name in names if name in kept][-3:]
        assert kept == set(names[-3:])


async def test_of_young_indexes_all_are_kept(world: World) -> None:
    for number in range(5):
        world.api.records["100001"]["title"] = f"Title {number}"
        await synced(world)
    assert len(await world.storage.list_files("indexes/")) == 5


async def test_whatever_dies_and_fails_again_and_again_the_store_equals_the_feed_in_the_end(
    world: World, somewhere: Place
) -> None:
    for last_step in share(range(2, 60, 3), every=3):
        world.api.records[f"10000{last_step % 10}"]["title"] = f"Edited before step {last_step}"
        world.api.records[f"new{last_step}"] = record(f"new{last_step}", modified=moment(NOON))
        life = Life(last_step) if last_step % 2 else Life(outages=range(last_step, 1000))
        with suppress(KilledError):
            await world.sync(life).reconcile()
        await world.check_readers_see_a_whole_index()
        await somewhere.let_lease_run_out(POINTER)
    await synced(world)
    await world.check_store_equals_feed()


async def test_an_index_that_was_removed_is_built_anew(world: World) -> None:
    await synced(world)
    published = await world.store.published()
    assert published.index
    await world.storage.remove_file(published.index)
    await world.sync().delta()
    await world.check_store_equals_feed()


@pytest.mark.parametrize("trouble", [Trouble.UNAVAILABLE, Trouble.CUT_JSON, Trouble.RESET])
async def test_a_feed_in_trouble_for_good_fails_the_run_and_loses_nothing(world: World, trouble: Trouble) -> None:
    await synced(world)
    before = await world.store.published()
    world.api.troubles = {trouble: 1}
    report = await world.sync().reconcile()
    assert report.outcome is SyncOutcome.FAILED
    assert report.reason
    assert await world.store.published() == before
    assert (await world.store.runs(limit=1))[0] == report


async def test_a_run_ends_with_its_time(world: World) -> None:
    world.api.troubles = {Trouble.STALLED: 3}
    report = await world.sync(time_limit=0.2).reconcile()
    assert report.outcome is SyncOutcome.FAILED
    assert report.reason
    world.api.troubles = {}
    await synced(world)
    await world.check_store_equals_feed()


async def test_updates_of_every_size_and_with_any_id_are_kept(world: World) -> None:
    odd = [
        "slug-with/slash?and#hash\\",
        "it's 100% é",
        "~tilde~",
        "..",
        "x" * 400,
        "é" * 400,
        "a b",
        "A B",
        "!21",
        "=+&",
    ]
    for number, update_id in enumerate(odd):
        world.api.records[update_id] = record(update_id, description="é<b>" * 3**number)
    world.api.records["large"] = record("large", description="ü" * 100_000)
    assert (await synced(world)).malformed == 0
    assert set(await world.store.updates(odd)) == set(odd)
    await world.check_store_equals_feed()


async def test_how_far_it_has_come_is_told(world: World) -> None:
    told: list[tuple[str, int, int | None]] = []
    await world.sync(watch=lambda *progress: told.append(progress)).reconcile()
    assert told == [
        ("Reading the feed", 20, 60),
        ("Reading the feed", 40, 60),
        ("Reading the feed", 60, 60),
        ("Writing updates", 60, 60),
        ("Building the index", 0, 60),
        ("Building the index", 60, 60),
    ]


async def test_a_long_run_leaves_lines_with_counts_and_rates_in_the_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="updates")
    await world.sync().reconcile()
    lines = [record.getMessage() for record in caplog.records]
    for step in ("Reading the feed", "Writing updates", "Building the index"):
        assert any(re.fullmatch(rf"{step}: 60 of 60, \d+ a second", line) for line in lines), lines
    assert re.fullmatch(r"Sync: reconcile changed in [\d.]+ s: 60 received, .*60 added.*", lines[-1])


async def test_runs_are_kept_newest_first(world: World) -> None:
    reports = [await world.sync().delta() for _ in range(3)]
    assert await world.store.runs(limit=2) == [reports[2], reports[1]]
