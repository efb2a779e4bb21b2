"""What is kept of watches, in a folder and in a storage account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from notifying.notification import NotificationItem
from tests.fakes.storages import place
from updates.searching.search import SearchFilters
from watching.delivery import NoticeOccasion, WatchDelivery, WatchDeliveryState
from watching.news import NoticeEntry
from watching.store import WatchOvertakenError, WatchStore, numbered
from watching.watch import Watch, WatchDestination, WatchPace

pytestmark = pytest.mark.anyio

DAY = 86400


@pytest.fixture(params=["folder", "azurite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[WatchStore]:
    async with place(request.param, tmp_path) as kept:
        yield WatchStore(lambda: kept.storage)


def a_watch(name: str = "lamps", tenant: str = "home") -> Watch:
    return Watch(
        tenant=tenant,
        name=name,
        owner="Ada",
        destination=WatchDestination(to="feed", feed="f" * 64),
        pace=WatchPace.DAILY,
        query="solar \u2600 lamps",
        filters=SearchFilters(products=("Lamps", "A & B"), date_to="2027-06"),
        scopes=("/subscriptions/1",),
        expires=90 * DAY,
    )


def notices(watch: Watch, *numbers: int) -> list[WatchDelivery]:
    entry = NoticeEntry(
        NotificationItem("Lamp \u2192", {"What": "New"}, "https://example.com"), [{"id": "1", "n": [1]}]
    )
    return [
        WatchDelivery(id=numbered(watch, number), watch=watch.key, occasion=NoticeOccasion.NEWS, entries=[entry])
        for number in numbers
    ]


async def test_a_watch_comes_back_as_it_was_kept(store: WatchStore) -> None:
    kept = await store.add(a_watch(), b"memory")
    assert await store.find("home", "lamps") == kept
    assert await store.memory(kept) == b"memory"
    assert await store.of_feed("f" * 64) == kept
    assert await store.of_feed("e" * 64) is None
    assert await store.find("other", "lamps") is None


async def test_a_name_is_taken_once_in_each_tenant(store: WatchStore) -> None:
    await store.add(a_watch(), b"")
    with pytest.raises(WatchOvertakenError):
        await store.add(a_watch(), b"")
    await store.add(a_watch(tenant="other"), b"")
    await store.add(a_watch("lamps-2"), b"")
    assert sorted(watch.name for watch in await store.of_tenant("home")) == ["lamps", "lamps-2"]
    assert len(await store.everything()) == 3


async def test_notices_are_written_with_the_watch_or_not_at_all(store: WatchStore) -> None:
    watch = await store.add(a_watch(), b"")
    changed = await store.replace(replace(watch, cursor=7), b"new", notices(watch, 1, 2))
    with pytest.raises(WatchOvertakenError):
        await store.replace(replace(watch, cursor=8), b"newer", notices(watch, 3))
    assert await store.memory(watch) == b"new"
    assert (await store.find("home", "lamps")) == changed
    assert [one.id for one in await store.deliveries(watch, None)] == [numbered(watch, 2), numbered(watch, 1)]
    assert [one.id for one in await store.open_ones()] == [numbered(watch, 1), numbered(watch, 2)]


async def test_a_notice_moves_once_and_is_found_where_it_stands(store: WatchStore) -> None:
    watch = await store.add(a_watch(), b"")
    await store.replace(watch, None, notices(watch, 1, 2))
    newest, oldest = await store.deliveries(watch, None)
    assert newest.entries[0].item.facts == {"What": "New"}
    aside = await store.move(newest.ended(WatchDeliveryState.SET_ASIDE, "gone"))
    with pytest.raises(WatchOvertakenError):
        await store.move(newest.ended(WatchDeliveryState.DELIVERED))
    assert [one.id for one in await store.open_ones()] == [oldest.id]
    assert await store.set_aside() == 1
    await store.move(aside.waiting(5.0))
    assert await store.set_aside() == 0
    assert len(await store.open_ones()) == 2


async def test_what_is_removed_leaves_nothing(store: WatchStore) -> None:
    watch = await store.add(a_watch(), b"memory")
    watch = await store.replace(watch, None, notices(watch, *range(1, 40)))
    await store.remove(watch)
    assert await store.everything() == []
    assert await store.open_ones() == await store.deliveries(watch, None) == []
    assert await store.memory(watch) == b""
    assert await store.of_feed("f" * 64) is None


async def test_what_is_old_is_forgotten(store: WatchStore) -> None:
    old, young = await store.add(a_watch("old"), b""), await store.add(a_watch("young"), b"")
    young = await store.replace(replace(young, expires=200 * DAY), None, notices(young, 1))
    await store.forget(121 * DAY)
    assert [watch.name for watch in await store.everything()] == ["young"]
    assert await store.deliveries(young, None) == await store.deliveries(old, None) == []
