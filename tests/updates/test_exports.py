"""How files are made: what they cost, and what goes on meanwhile."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import pytest

from tests.shifts import Steps
from tests.updates.indexing import index_of, update
from updates.searching.index import UpdatesIndex
from updates.searching.search import FoundUpdate, UpdateSearch
from updates.showing.exports import FORMS, Exports

pytestmark = pytest.mark.anyio


class Watched:
    """An index that counts what is asked of it, and answers a search when it is let."""

    def __init__(self, index: UpdatesIndex) -> None:
        self._index = index
        self.is_sample = False
        self.searched = self.written = self.at_once = self.most_at_once = 0
        self.may_answer = threading.Event()

    def documents(self, request: UpdateSearch) -> list[int]:
        self.searched += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        assert self.may_answer.wait(timeout=30)
        self.at_once -= 1
        return self._index.documents(request)

    def update(self, document: int) -> FoundUpdate:
        self.written += 1
        return self._index.update(document)

    def body(self, document: int) -> str:
        return self._index.body(document)


def watched(count: int = 30) -> Watched:
    return Watched(index_of(*(update(str(number), f"Title {number}") for number in range(count))))


async def test_other_work_goes_on_while_a_file_is_made() -> None:
    index, exports = watched(), Exports()
    making = asyncio.create_task(exports.file(cast("UpdatesIndex", index), "csv", {}))
    await asyncio.sleep(0)
    assert (making.done(), exports.waiting) == (False, 1)
    index.may_answer.set()
    assert (await making).content.count(b"Title") == 30
    assert exports.waiting == 0


async def test_files_are_made_one_at_a_time_and_the_same_one_once() -> None:
    index, exports = watched(), Exports()
    asked = [{"limit": "5"}, {"limit": "5"}, {"limit": "6"}, {"limit": "7"}]
    making = [asyncio.create_task(exports.file(cast("UpdatesIndex", index), "ics", filters)) for filters in asked]
    await asyncio.sleep(0)
    assert exports.waiting == 4
    index.may_answer.set()
    files = await asyncio.gather(*making)
    assert files[0] is files[1]
    assert (index.searched, index.most_at_once) == (3, 1)


@pytest.mark.parametrize("form", FORMS)
async def test_others_have_a_turn_between_any_two_updates_that_are_written(form: str) -> None:
    index, shifts = watched(), Steps()
    index.may_answer.set()
    await Exports(shifts=shifts).file(cast("UpdatesIndex", index), form, {})
    assert shifts.pauses == index.written == 30


@pytest.mark.parametrize("form", FORMS)
async def test_each_update_is_written_once_for_a_form_however_it_is_filtered(form: str) -> None:
    index, exports = watched(), Exports()
    index.may_answer.set()
    for limit in range(1, 31):
        await exports.file(cast("UpdatesIndex", index), form, {"limit": str(limit)})
    assert index.written == 30


async def test_one_search_finds_all_that_a_file_holds() -> None:
    index, exports = watched(250), Exports()
    index.may_answer.set()
    await exports.file(cast("UpdatesIndex", index), "csv", {})
    assert index.searched == 1


async def test_what_is_kept_of_files_is_bounded() -> None:
    index, exports = watched(), Exports()
    index.may_answer.set()
    first = await exports.file(cast("UpdatesIndex", index), "csv", {"limit": "1"})
    for number in range(200):
        await exports.file(cast("UpdatesIndex", index), "csv", {"limit": "1", "query": f"title {number}"})
    assert (await exports.file(cast("UpdatesIndex", index), "csv", {"limit": "1"})) is not first
