"""Who makes a work item: one alone, and the next one when that one was killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.folder_storage import FolderStorage
from refusal import Refusal
from retirements.claims import SECONDS_CLAIMED, SECONDS_TO_MAKE, ItemClaims
from tests.fakes.mortality import Life

pytestmark = pytest.mark.anyio


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def storage(tmp_path: Path) -> FolderStorage:
    return FolderStorage(tmp_path)


async def test_one_alone_has_it_until_it_ends(storage: FolderStorage, clock: Clock) -> None:
    one, other = (ItemClaims(lambda: storage, clock) for _ in range(2))
    first = await one.take("a")
    assert first
    assert not first.is_taken_over
    assert await other.take("a") is None
    assert await one.take("a") is None
    clock.now += SECONDS_CLAIMED + 1
    second = await other.take("a")
    assert second
    assert second.is_taken_over
    # Whoever comes back late writes nothing.
    await one.done(first, 7)
    clock.now += SECONDS_CLAIMED + 1
    third = await one.take("a")
    assert third
    assert third.item is None


async def test_what_was_made_is_remembered(storage: FolderStorage, clock: Clock) -> None:
    claims = ItemClaims(lambda: storage, clock)
    first = await claims.take("a")
    assert first
    await claims.done(first, 7)
    second = await claims.take("a")
    assert second
    assert (second.item, second.is_taken_over) == (7, True)


async def test_what_was_not_made_is_free_at_once(storage: FolderStorage, clock: Clock) -> None:
    claims = ItemClaims(lambda: storage, clock)
    first = await claims.take("a")
    assert first
    await claims.give_back(first)
    assert await claims.take("a")


async def test_without_storage_nobody_makes_anything(storage: FolderStorage, clock: Clock) -> None:
    claims = ItemClaims(lambda: Life(outages=range(3, 1000)).of(storage), clock)
    with pytest.raises(Refusal, match="storage"):
        await claims.take("a")


def test_making_ends_long_before_the_claim() -> None:
    assert SECONDS_TO_MAKE * 2 < SECONDS_CLAIMED
