"""Changes are kept so that each is decided once, applied once, and forgotten after its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from changes.approval_request import ApprovalRequest, ApprovalState, By, Decision, RequiredApprover, Who
from changes.ledger import ChangeOvertakenError, Ledger
from changes.plan import Plan
from changes.preview import Preview
from clients.folder_storage import FolderStorage
from clients.storage import Row, Storage, StorageError
from refusal import Refusal

ADA, GRACE = Who("home", "ada", "user", "desk"), Who("home", "grace", "user", "desk")
PLAN = Plan.of("office-doors", "brick_up_door", "destroy", {"room": "attic"}, Preview(what="The attic"))
DAY = 86400.0


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Place:
    storage: Storage
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.ledger = Ledger(lambda: self.storage, 3600, self.clock)

    async def proposed(self, plan: Plan = PLAN, who: Who = ADA) -> ApprovalRequest:
        change = ApprovalRequest(
            id="",
            call=plan.call,
            digest=plan.digest,
            toolset=plan.toolset,
            tool=plan.tool,
            access=plan.access,
            what=plan.preview.what,
            asked_by=who,
            asks=RequiredApprover.CALLER,
            created=0.0,
            until=0.0,
        )
        return await self.ledger.propose(plan, change)

    def yes(self) -> Decision:
        return Decision(self.clock(), ADA, By.FORM, is_yes=True)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(FolderStorage(tmp_path))
    yield made
    await made.ledger.close()


async def test_a_change_is_found_by_its_id_and_by_its_call(place: Place) -> None:
    change = await place.proposed()
    assert (change.state, change.until - change.created) == (ApprovalState.WAITING, 3600)
    assert await place.ledger.find(change.id) == change
    assert await place.ledger.last_of(ADA, PLAN.call) == change
    assert await place.ledger.last_of(GRACE, PLAN.call) is None
    assert (await place.ledger.shown(change)).arguments == {"room": "attic"}


@pytest.mark.parametrize("name", ["", "x", "../change", "a" * 100, "ä" * 30, "0" * 30, "change-" + "0" * 20])
async def test_nothing_is_found_by_what_is_no_id(place: Place, name: str) -> None:
    await place.proposed()
    assert await place.ledger.find(name) is None


async def test_of_two_decisions_one_counts(place: Place) -> None:
    change = await place.proposed()
    no = Decision(place.clock(), GRACE, By.PAGE, is_yes=False, why="Not today")
    results = await asyncio.gather(
        place.ledger.decide(change, place.yes()), place.ledger.decide(change, no), return_exceptions=True
    )
    assert [isinstance(result, ChangeOvertakenError) for result in results].count(True) == 1


async def test_of_many_that_claim_an_approval_one_gets_it(place: Place) -> None:
    approved = await place.ledger.decide(await place.proposed(), place.yes())
    results = await asyncio.gather(*(place.ledger.begin(approved) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(result, ApprovalRequest) for result in results) == 1
    assert all(isinstance(result, ApprovalRequest | ChangeOvertakenError) for result in results)


async def test_the_newest_come_first(place: Place) -> None:
    made = []
    for number in range(3):
        place.clock.now += 1
        other = Plan.of("office-doors", "brick_up_door", "destroy", {"room": str(number)}, Preview(what=str(number)))
        made.append(await place.proposed(other))
    assert [change.what for change in await place.ledger.newest()] == ["2", "1", "0"]
    assert [change.what for change in await place.ledger.newest(1)] == ["2"]


async def test_what_is_old_is_forgotten_and_nothing_else(place: Place) -> None:
    old = await place.proposed()
    place.clock.now += 100 * DAY
    new = await place.proposed(who=GRACE)
    assert await place.ledger.forget() == 1
    assert await place.ledger.find(old.id) is None
    assert await place.ledger.last_of(ADA, PLAN.call) is None
    with pytest.raises(Refusal):
        await place.ledger.shown(old)
    assert await place.ledger.last_of(GRACE, PLAN.call) == new
    assert await place.ledger.forget() == 0


class Away(FolderStorage):
    """A storage that does not answer."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        raise StorageError("away")

    async def prepare(self) -> None:
        raise StorageError("away")


async def test_while_the_storage_is_away_it_is_said_that_nothing_was_done(tmp_path: Path) -> None:
    place = Place(Away(tmp_path))
    with pytest.raises(Refusal, match="Nothing was done"):
        await place.proposed()
    with pytest.raises(Refusal, match="Nothing was done"):
        await place.ledger.last_of(ADA, PLAN.call)
