"""Processes killed at every step, and two at once: a change is sent once, and none is lost."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from pathlib import Path

import pytest
from aiohttp import web

from clients.folder_storage import FolderStorage
from clients.storage import Row
from refusal import Refusal
from tests.fakes.mortality import KilledError, Life
from tests.fakes.watches.receiver import fine
from tests.sweeps import ALL
from tests.watching.place import Bureau, Process, lamp, opened, slipped
from watching.delivery import WatchDeliveryState
from watching.store import PURPOSE

pytestmark = pytest.mark.anyio

CHANGES = {"100001": "edited", "100007": "added"}
AN_HOUR = 3600.0


async def with_news(place: Bureau, to: str) -> None:
    await place.created(to=to)
    await place.syncs(slipped(1, 2027, "September"), lamp(7))


def begin_anew(place: Bureau, start: float) -> None:
    """The storage, the queue and the clock as they were before anybody looked for news."""
    for name in ("watches", "tasks"):
        shutil.rmtree(place.folder / name, ignore_errors=True)
    shutil.copytree(place.folder / "before", place.folder / "watches")
    place.heard.clear()
    place.queue.sent.clear()
    place.now = start
    place.process = Process(place)


async def go_on(place: Bureau) -> None:
    """Timers and the queue of processes that nobody kills, until all is done."""
    for _ in range(3):
        await place.process.worker.sweep()
        await place.process.round()
        await place.after(AN_HOUR)


def received(place: Bureau) -> Counter[tuple[str, str]]:
    """The changes that a receiver knows who drops what has an id that it knows."""
    by_id = {body["id"]: body for body in place.bodies}
    changes = [change for body in by_id.values() for change in body["data"]["changes"]]
    return Counter((change["id"], change["change"]) for change in changes)


async def killed_at(place: Bureau, step: int) -> bool:
    """Whether a process that looks and sends is killed at this step, before it has done everything."""
    process = Process(place, Life(step))
    try:
        await process.round()
        for _, text in list(place.queue.sent):
            await process.worker.do(text)
    except KilledError:
        return True
    return False


def told_to_a_webhook(place: Bureau, state: WatchDeliveryState) -> None:
    assert received(place) == Counter(CHANGES.items())
    assert state is WatchDeliveryState.DELIVERED


def told_in_a_feed(place: Bureau, state: WatchDeliveryState) -> None:
    assert place.heard == []
    assert state is WatchDeliveryState.PUBLISHED


def told_in_a_chat(place: Bureau, state: WatchDeliveryState) -> None:
    """Nobody can ask a chat whether a card arrived: it is sent once at most, and what is not known is said."""
    assert (len(place.heard), state) in {
        (1, WatchDeliveryState.DELIVERED),
        (1, WatchDeliveryState.UNKNOWN),
        (0, WatchDeliveryState.UNKNOWN),
    }


TOLD_ONCE = {"webhook": told_to_a_webhook, "feed": told_in_a_feed, "ops": told_in_a_chat}


@pytest.mark.parametrize("to", TOLD_ONCE)
async def test_whenever_a_process_is_killed_each_change_is_told_once(tmp_path: Path, to: str) -> None:
    async with opened(tmp_path) as place:
        await with_news(place, to)
        shutil.copytree(tmp_path / "watches", tmp_path / "before")
        start, step, is_killed = place.now, 0, True
        while is_killed:
            step += 1 if ALL else 3
            begin_anew(place, start)
            is_killed = await killed_at(place, step)
            await go_on(place)
            notices = await place.watches.notices(await place.watch())
            assert [notice.changes for notice in notices] == [2], step
            (state,) = [notice.state for notice in notices]
            TOLD_ONCE[to](place, state)
        assert step > 5


async def test_of_two_timers_at_once_one_sends(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await with_news(place, "webhook")
        others = [Process(place) for _ in range(4)]
        await asyncio.gather(*(process.round() for process in others))
        await place.after(AN_HOUR)
        assert received(place) == Counter(CHANGES.items())
        assert len(place.heard) == 1


async def test_two_tasks_of_one_notice_send_it_once(tmp_path: Path) -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def waiting(request: web.BaseRequest) -> web.StreamResponse:
        entered.set()
        await leave.wait()
        return await fine(request)

    async with opened(tmp_path, waiting) as place:
        await with_news(place, "ops")
        await place.process.round()
        (notice,) = await place.watches.notices(await place.watch())
        await place.watches.rounds.send([notice], place.process.tasks)
        texts = [text for _, text in place.queue.sent]
        assert len(texts) == 2
        first = asyncio.create_task(place.process.worker.do(texts[0]))
        await entered.wait()
        await Process(place).worker.do(texts[1])
        leave.set()
        await first
        await place.after(AN_HOUR)
        assert len(place.heard) == 1


async def test_what_nobody_sends_is_picked_up_by_a_later_look(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await with_news(place, "webhook")
        await place.process.round()
        shutil.rmtree(tmp_path / "tasks")
        place.queue.sent.clear()
        await place.round()
        assert place.heard == []
        await place.after(1000)
        await place.round()
        assert received(place) == Counter(CHANGES.items())


async def test_one_watch_that_fails_stops_no_other_and_is_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        broken = await place.created("alpha")
        await place.created("omega")
        await FolderStorage(tmp_path / "watches").put_row(PURPOSE, Row(f"memory:{broken.id}", b"torn"))
        await place.syncs(lamp(7))
        with pytest.raises(ExceptionGroup) as failed:
            await place.process.round()
        await place.after(1)
        assert failed.value.exceptions[0].__notes__ == [f"in the watch {broken.id}"]
        assert [body["data"]["watch"] for body in place.bodies] == ["omega"]


async def test_while_the_storage_is_away_nothing_is_lost_and_no_watch_is_said_to_fail(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await with_news(place, "webhook")
        for step in range(1, 12):
            try:
                await Process(place, Life(outages=range(step, 1000))).round()
            except (Refusal, ExceptionGroup):
                continue
        await go_on(place)
        assert received(place) == Counter(CHANGES.items())
        assert {body["type"] for body in place.bodies} == {"watch.news"}
