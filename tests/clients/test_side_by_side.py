"""Many sources asked at once: in bounded time, whatever some of them do, and with nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure_devops.paging import ListPage
from clients.side_by_side import MOST_SOURCES, Foremost, SourceReading, side_by_side
from refusal import Refusal

NAMES = [f"source-{number}" for number in range(40)]


class Sources:
    """Answer at once, but for some that never do, that do the second time only, or that fail."""

    def __init__(self) -> None:
        self.stuck: set[str] = set()
        self.slow: set[str] = set()
        self.fails: dict[str, Exception] = {}
        self.asked: list[str] = []
        self.pause = 0.0
        self.begun = asyncio.Event()
        self.within = self.most = 0

    async def ask(self, name: str) -> None:
        self.asked.append(name)
        self.begun.set()
        self.within += 1
        self.most = max(self.most, self.within)
        try:
            await self._answer(name)
        finally:
            self.within -= 1

    async def _answer(self, name: str) -> None:
        if name in self.stuck or (name in self.slow and self.asked.count(name) == 1):
            await asyncio.Event().wait()
        await asyncio.sleep(self.pause)
        if name in self.fails:
            raise self.fails[name]

    async def reading(self, **times: float) -> SourceReading:
        return await side_by_side({name: name for name in NAMES}, self.ask, **times)


async def test_what_never_answers_takes_no_other_away_and_is_named() -> None:
    sources = Sources()
    sources.stuck = set(NAMES[:12])
    reading = await sources.reading(seconds=0.2, seconds_each=0.01)
    assert reading.read == set(NAMES[12:])
    [left] = reading.said("sources")["notRead"]
    assert (left["names"], "by name" in left["why"]) == (NAMES[:12], True)
    assert (sources.within, sources.most <= 10) == (0, True)


async def test_what_was_slow_is_asked_once_more_after_the_others() -> None:
    sources = Sources()
    sources.slow = set(NAMES[:12])
    reading = await sources.reading(seconds_each=0.01)
    assert reading.said("sources") == {"read": "40 of 40 sources"}
    assert sources.asked.count(NAMES[0]) == 2


async def test_a_service_that_is_slow_throughout_is_not_asked_everything_twice() -> None:
    sources = Sources()
    sources.pause = 0.05
    reading = await sources.reading(seconds_each=0.01)
    assert reading.read == set(NAMES)
    assert len(sources.asked) <= len(NAMES) + 30


async def test_a_caller_who_leaves_leaves_nothing_running() -> None:
    sources = Sources()
    sources.stuck = set(NAMES)
    asking = asyncio.ensure_future(sources.reading())
    await sources.begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert sources.within == 0


@pytest.mark.parametrize("defect", [RuntimeError("defect"), TimeoutError("its own")])
async def test_a_defect_is_no_refusal_and_stops_all(defect: Exception) -> None:
    sources = Sources()
    sources.stuck, sources.fails = set(NAMES[5:]), {NAMES[0]: defect}
    with pytest.raises(type(defect)):
        await sources.reading()
    assert sources.within == 0


async def test_refusals_are_told_by_their_reasons_and_in_short() -> None:
    sources = Sources()
    sources.fails = {name: Refusal(f"Not permitted (403). It says {name!r}.") for name in NAMES[:30]}
    sources.fails |= {name: Refusal(f"Reason {name} " + "x" * 10_000) for name in NAMES[30:39]}
    said = (await sources.reading()).said("sources")
    assert said["read"] == "1 of 40 sources"
    first, *others = said["notRead"]
    assert (first["why"], len(first["names"]), first["more"]) == ("Not permitted (403).", 20, 10)
    assert (len(others), others[-1]["count"], len(str(said)) < 2500) == (5, 5, True)


async def test_more_sources_than_are_asked_are_said() -> None:
    sources = Sources()
    names = [f"r{number:03}" for number in range(MOST_SOURCES + 20)]
    reading = await side_by_side({name: name for name in names}, sources.ask)
    said = reading.said("sources")
    assert said["read"] == f"{MOST_SOURCES} of {MOST_SOURCES + 20} sources"
    [left] = said["notRead"]
    assert (left["names"], "by name" in left["why"]) == (names[MOST_SOURCES:], True)


async def test_where_none_can_be_read_that_is_refused() -> None:
    sources = Sources()
    sources.fails = {name: Refusal("Not permitted.") for name in NAMES}
    reading = await sources.reading()
    with pytest.raises(Refusal, match="None of the 40 sources could be read"):
        reading.refuse_if_none("sources")
    (await side_by_side({}, sources.ask)).refuse_if_none("sources")


@given(pages=st.lists(st.lists(st.integers(0, 50), max_size=20), max_size=8), limit=st.integers(1, 12))
@pytest.mark.parametrize("descending", [True, False])
def test_the_foremost_of_many_lists_are_those_of_all_in_one(
    pages: list[list[int]], limit: int, *, descending: bool
) -> None:
    rank: Callable[[Any], Any] = int
    foremost = Foremost(limit, rank, descending=descending)
    for page in pages:
        foremost.add(ListPage(page))
    whole = sorted((item for page in pages for item in page), reverse=descending)
    assert foremost.page == ListPage(whole[:limit], len(whole) > limit)
