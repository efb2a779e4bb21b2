"""Changes are kept so that each is decided once, applied once, and forgotten after its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from changes.approval_request import ApprovalRequest, ApprovalState, By, Decision, RequiredApprover, Who
from changes.ledger import ChangeOvertakenError, Ledger, StartedLook
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
        self.ledger = Ledger(lambda: self.storage, clock=self.clock)

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
    # Of earlier versions, too: the newest sorts first.
    assert change.id.startswith(f"{10**13 - 1_800_000_000_000:013}-")
    assert len(change.code) == 8
    assert await place.ledger.find(change.id) == change
    assert await place.ledger.last_of(ADA, PLAN.call) == change
    assert await place.ledger.last_of(GRACE, PLAN.call) is None
    assert (await place.ledger.shown(change)).arguments == {"room": "attic"}


@pytest.mark.parametrize("name", ["", "x", "../change", "a" * 100, "ä" * 30, "0" * 30, "change-" + "0" * 20])
async def test_nothing_is_found_by_what_is_no_id(place: Place, name: str) -> None:
    await place.proposed()
    assert await place.ledger.find(name) is None


@pytest.mark.parametrize("is_yes", [True, False])
async def test_a_decided_change_is_found_as_it_was_decided(place: Place, is_yes: bool) -> None:
    decision = Decision(place.clock(), GRACE, By.PAGE, is_yes=is_yes, why="As agreed")
    decided = await place.ledger.decide(await place.proposed(), decision)
    assert decided.state is (ApprovalState.APPROVED if is_yes else ApprovalState.DENIED)
    assert await place.ledger.find(decided.id) == decided


async def test_a_change_is_open_until_its_time_is_over_unless_it_is_decided_otherwise(place: Place) -> None:
    waiting = await place.proposed()
    last, over = waiting.until - 0.001, waiting.until
    assert (waiting.is_open(last), waiting.is_undecided(last)) == (True, True)
    assert (waiting.is_open(over), waiting.is_undecided(over)) == (False, False)
    approved = waiting.decided(place.yes())
    assert (approved.is_open(last), approved.is_undecided(last), approved.is_open(over)) == (True, False, False)
    denied = waiting.decided(Decision(place.clock(), GRACE, By.PAGE, is_yes=False))
    assert (denied.is_open(last), denied.is_undecided(last)) == (False, False)


@pytest.mark.parametrize(("length", "is_id"), [(20, False), (21, True), (59, True), (60, False)])
async def test_an_id_has_a_length_that_ids_have(place: Place, length: int, is_id: bool) -> None:
    change = await place.proposed()
    name = change.id[0] * length
    await place.storage.put_row("changes", Row(f"change-{name}", change.content))
    assert (await place.ledger.find(name) is not None) == is_id


@pytest.mark.parametrize("letter", [".", "/", " ", "ä"])
async def test_an_id_has_only_letters_that_ids_have(place: Place, letter: str) -> None:
    change = await place.proposed()
    name = f"{'0' * 30}{letter}"
    await place.storage.put_row("changes", Row(f"change-{name}", change.content))
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
    assert [change.what for change in await place.ledger.newest(10)] == ["2", "1", "0"]
    assert [change.what for change in await place.ledger.newest(1)] == ["2"]


async def test_what_is_old_is_forgotten_and_nothing_else(place: Place) -> None:
    old = await place.proposed()
    place.clock.now += 100 * DAY
    new = await place.proposed(who=GRACE)
    assert await place.ledger.forget() == 1
    assert await place.ledger.find(old.id) is None
    assert await place.ledger.last_of(ADA, PLAN.call) is None
    assert [row.content.decode() for row in await place.storage.scan("changes", "call-")] == [new.id]
    with pytest.raises(Refusal):
        await place.ledger.shown(old)
    assert await place.ledger.last_of(GRACE, PLAN.call) == new
    assert await place.ledger.forget() == 0


@pytest.mark.parametrize("by_its_own", ["subject", "tenant", "kind", "client", "agent"])
async def test_a_change_is_found_by_its_call_only_for_the_same_caller(place: Place, by_its_own: str) -> None:
    await place.proposed()
    assert await place.ledger.last_of(replace(ADA, **{by_its_own: "other"}), PLAN.call) is None
    assert await place.ledger.last_of(replace(ADA, name="Ada L."), PLAN.call) is not None


async def test_what_is_kept_for_ninety_days_is_kept_until_then(place: Place) -> None:
    await place.proposed()
    place.clock.now += 90 * DAY - 1
    assert await place.ledger.forget() == 0
    place.clock.now += 2
    assert await place.ledger.forget() == 1


async def test_an_old_change_leaves_the_newer_one_of_its_call(place: Place) -> None:
    old = await place.proposed()
    place.clock.now += 91 * DAY
    new = await place.proposed()
    assert await place.ledger.forget() == 1
    assert await place.ledger.find(old.id) is None
    assert await place.ledger.last_of(ADA, PLAN.call) == new


async def test_a_change_that_was_removed_in_part_is_removed_the_next_time(place: Place) -> None:
    old = await place.proposed()
    (row,) = await place.storage.scan("changes", "call-")
    await place.storage.remove_row("changes", row.key)
    await place.storage.remove_file(old.id)
    place.clock.now += 91 * DAY
    assert await place.ledger.forget() == 1
    assert await place.ledger.find(old.id) is None


async def test_a_look_is_forgotten_a_day_after_it_began(place: Place) -> None:
    await place.ledger.keep_look(ADA, PLAN.call, StartedLook(place.clock(), place.clock(), {"step": 1}))
    place.clock.now += DAY
    await place.ledger.forget()
    assert (await place.ledger.look_under_way(ADA, PLAN.call)) == StartedLook(
        place.clock() - DAY, place.clock() - DAY, {"step": 1}
    )
    place.clock.now += 1
    await place.ledger.forget()
    assert await place.ledger.look_under_way(ADA, PLAN.call) is None


async def test_a_look_that_ended_is_gone(place: Place) -> None:
    for who in (ADA, GRACE):
        await place.ledger.keep_look(who, PLAN.call, StartedLook(place.clock(), place.clock(), {}))
    await place.ledger.end_look(ADA, PLAN.call)
    assert await place.ledger.look_under_way(ADA, PLAN.call) is None
    assert await place.ledger.look_under_way(GRACE, PLAN.call) is not None


async def test_who_watches_hears_of_each_new_decided_and_outdated_change(place: Place) -> None:
    heard: list[ApprovalRequest] = []

    async def hear(change: ApprovalRequest) -> None:
        heard.append(change)

    place.ledger.watched = hear
    proposed = await place.proposed()
    decided = await place.ledger.decide(proposed, place.yes())
    outdated = await place.ledger.outdate(decided)
    assert heard == [proposed, decided, outdated]
    assert (outdated.state, outdated.ended) == (ApprovalState.OUTDATED, place.clock())
    assert await place.ledger.find(outdated.id) == outdated


async def test_of_a_result_the_first_500_letters_are_kept(place: Place) -> None:
    begun = await place.ledger.begin(await place.ledger.decide(await place.proposed(), place.yes()))
    assert (begun.state, begun.begun) == (ApprovalState.APPLYING, place.clock())
    place.clock.now += 5
    ended = await place.ledger.end(begun, ApprovalState.APPLIED, "a" * 501)
    assert (ended.result, ended.ended) == ("a" * 500, place.clock())


async def test_a_page_of_changes_begins_after_the_last_one(place: Place) -> None:
    made = []
    for number in range(3):
        place.clock.now += 1
        other = Plan.of("office-doors", "brick_up_door", "destroy", {"room": str(number)}, Preview(what=str(number)))
        made.append(await place.proposed(other))
    assert [change.what for change in await place.ledger.newest(5, made[2].id)] == ["1", "0"]
    assert [change.what for change in await place.ledger.newest(1, made[2].id)] == ["1"]


async def test_what_replaced_a_change_shows_the_preview_before(place: Place) -> None:
    first = await place.proposed()
    assert await place.ledger.shown_before(first) is None
    again = await place.proposed(
        Plan.of("office-doors", "brick_up_door", "destroy", {"room": "attic"}, Preview(what="x"))
    )
    before = await place.ledger.shown_before(replace(again, replaces=first.id))
    assert before is not None
    assert before.bound == PLAN.preview.bound


class Counted(FolderStorage):
    """A storage that counts how often it is prepared and closed."""

    prepared = closed = 0

    async def prepare(self) -> None:
        self.prepared += 1

    async def close(self) -> None:
        self.closed += 1


async def test_the_storage_is_prepared_once_before_the_first_change(tmp_path: Path) -> None:
    storage = Counted(tmp_path)
    place = Place(storage)
    await place.ledger.newest(10)
    assert storage.prepared == 0
    await place.proposed()
    await place.proposed()
    assert storage.prepared == 1


async def test_the_storage_is_closed_if_it_was_used(tmp_path: Path) -> None:
    storage = Counted(tmp_path)
    place = Place(storage)
    await place.ledger.close()
    assert storage.closed == 0
    await place.ledger.newest(10)
    await place.ledger.close()
    assert storage.closed == 1


class Away(FolderStorage):
    """A storage that does not answer."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        raise StorageError("away")

    async def prepare(self) -> None:
        raise StorageError("away")


class AwayLater(FolderStorage):
    """A storage that stores new rows and then does not answer."""

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        if guard.version:
            raise StorageError("away")
        return await super().put_rows(partition, guard, rows)


async def test_what_is_decided_while_the_storage_is_away_is_not_decided(tmp_path: Path) -> None:
    place = Place(AwayLater(tmp_path))
    change = await place.proposed()
    with pytest.raises(Refusal, match="Changes cannot be stored"):
        await place.ledger.decide(change, place.yes())
    assert await place.ledger.find(change.id) == change


async def test_while_the_storage_is_away_it_is_said_that_nothing_was_done(tmp_path: Path) -> None:
    place = Place(Away(tmp_path))
    with pytest.raises(Refusal, match="Nothing was done"):
        await place.proposed()
    with pytest.raises(Refusal, match="Nothing was done"):
        await place.ledger.last_of(ADA, PLAN.call)
