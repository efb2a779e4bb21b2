"""A preview that takes a service longer than a call: the next same call goes on with it, and nothing is done before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from changes.approval_request import By, Decision
from changes.approvals import Approvals
from changes.ledger import Ledger
from changes.looking import StillLookingError
from changes.preview import Preview
from changes.undo import by_call
from clients.folder_storage import FolderStorage
from identity.access import Access
from identity.door import OPEN_DOOR
from mcp_server.calls.audit import Outcome
from mcp_server.current_change import ThisChange
from mcp_server.declarations.toolset import Toolset
from refusal import Refusal
from tests.mcp_server.caller import Caller, Json, code_in
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door

MINUTE = 60.0


@dataclass
class Quarry:
    """A service that takes its time to say what a blast would do."""

    folder: Path
    now: float = 1_800_000_000.0
    takes: int = 1
    would: str = "the north face"
    fails: bool = False
    is_unchanged: bool = True
    again_in: float = 20
    begun: list[int] = field(default_factory=list)
    blasts: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ledger = Ledger(lambda: FolderStorage(self.folder), 3600, lambda: self.now)

    def approvals(self) -> Approvals:
        return approving(ledger=self.ledger)

    def caller(self, who: str = "") -> Caller:
        door = office_door(json.dumps({"roles": {"One": {"quarry": "destroy"}}}), ["quarry"]) if who else OPEN_DOOR
        endpoint = new_endpoint(toolsets=[self.toolset()], approvals=self.approvals(), door=door)
        return Caller(endpoint, "all", {"x-who": f"{who} One"} if who else {})

    async def look(self, trail: Mapping[str, Any]) -> Preview:
        if not trail:
            self.begun.append(0)
        number = trail.get("number", len(self.begun) - 1)
        self.begun[number] += 1
        if self.fails:
            raise Refusal("There is no such face.")
        if self.begun[number] <= self.takes:
            raise StillLookingError({"number": number}, self.again_in)
        facts = {"brings down": self.would, "by": "Ada"}
        return Preview(
            what="A blast", facts=facts, undo=by_call("build"), pins={"charge": 7}, is_unchanged=self.look_again
        )

    async def look_again(self) -> bool:
        return self.is_unchanged

    def toolset(self) -> Toolset:
        quarry = Toolset("quarry", "Blast rock.")

        async def what_comes_down(current: ThisChange) -> Preview:
            """What a blast would bring down."""
            return await self.look(current.trail)

        @quarry.tool(Access.DESTROY, previewed=what_comes_down, looks_long=True, secret=("word",))
        async def blast(doing: ThisChange, face: str = "north", charge: int = 0, word: str = "") -> str:
            """Blast a face."""
            self.blasts.append({"face": face, "charge": charge, "mark": doing.mark, "previewed": doing.is_previewed})
            return "dust"

        return quarry


@pytest.fixture
async def quarry(tmp_path: Path) -> AsyncIterator[Quarry]:
    made = Quarry(tmp_path)
    yield made
    await made.ledger.close()


async def checking(caller: Caller, **arguments: Json) -> Json:
    result = await caller.call("blast", **arguments)
    assert result["isError"], result
    return result["structuredContent"]["change"]


async def test_while_it_is_looked_nothing_is_done_and_the_same_call_goes_on(quarry: Quarry) -> None:
    caller = quarry.caller()
    quarry.takes = 2
    told = await caller.told("blast")
    assert told.startswith("Checking what blast would do (0 seconds so far). Nothing was done yet. Send the same")
    quarry.now += 20
    assert await checking(caller) == {"state": "checking", "since": 20, "again_in": 20}
    told = await caller.told("blast")
    assert "brings down: the north face" in told
    assert (quarry.begun, quarry.blasts) == ([3], [])


async def test_what_was_found_out_before_the_agreement_never_counts(quarry: Quarry) -> None:
    caller = quarry.caller()
    await checking(caller)
    code = code_in(await caller.told("blast"))
    # Somebody has agreed: only now begins the look that counts.
    told = await caller.told("blast", confirm=code)
    assert told.startswith("It is approved. Checking what blast would do")
    assert quarry.blasts == []
    assert not (await caller.call("blast", confirm=code))["isError"]
    assert (quarry.begun, [one["charge"] for one in quarry.blasts]) == ([2, 2], [7])
    # It was for this change alone.
    assert (await checking(caller))["state"] == "checking"


async def test_what_somebody_else_changed_after_the_approval_is_shown_first(quarry: Quarry) -> None:
    caller = quarry.caller("ada")
    await checking(caller)
    await approve(quarry, (await caller.call("blast"))["structuredContent"]["change"]["id"])
    quarry.would = "the village"
    await checking(caller)
    told = await caller.told("blast")
    assert "a different effect than the preview showed." in told
    new = told.partition("New since the last preview:\n")[2]
    assert new.startswith("- brings down: the village\n- no longer: brings down: the north face\n")
    assert quarry.blasts == []


async def test_while_it_waits_for_a_decision_it_is_not_looked_again(quarry: Quarry) -> None:
    caller = quarry.caller("ada")
    await checking(caller)
    for _ in range(3):
        assert "the north face" in await caller.told("blast")
    assert quarry.begun == [2]


async def test_a_look_that_began_before_the_approval_does_not_count(quarry: Quarry) -> None:
    caller = quarry.caller("ada")
    await checking(caller)
    name = (await caller.call("blast"))["structuredContent"]["change"]["id"]
    await approve(quarry, name, at=quarry.now + 1)
    quarry.now += 0.5
    # This look begins before the approval, by the clock of whoever kept that.
    await checking(caller)
    quarry.now += 1
    await checking(caller)
    assert (quarry.begun, quarry.blasts) == ([2, 1, 1], [])
    assert not (await caller.call("blast"))["isError"]


@pytest.mark.parametrize(("seconds", "is_done"), [(30, True), (30.5, False)])
async def test_what_was_found_out_is_applied_within_half_a_minute_or_never(
    quarry: Quarry, seconds: float, *, is_done: bool
) -> None:
    caller = quarry.caller("ada")
    await checking(caller)
    await approve(quarry, (await caller.call("blast"))["structuredContent"]["change"]["id"])
    await checking(caller)
    quarry.now += seconds
    assert (await caller.call("blast"))["isError"] is not is_done
    assert len(quarry.blasts) == is_done
    if not is_done:
        assert quarry.begun == [2, 2, 1]


async def test_right_before_it_is_sent_it_is_looked_once_more(quarry: Quarry) -> None:
    caller = quarry.caller("ada")
    await checking(caller)
    await approve(quarry, (await caller.call("blast"))["structuredContent"]["change"]["id"])
    await checking(caller)
    quarry.is_unchanged = False
    assert "was changed a moment ago, so nothing was done" in await caller.told("blast")
    quarry.is_unchanged = True
    # The approval still holds, and it is checked anew.
    await checking(caller)
    assert quarry.blasts == []
    assert not (await caller.call("blast"))["isError"]
    assert len(quarry.blasts) == 1


async def test_of_a_look_nobody_else_knows_nor_another_call(quarry: Quarry) -> None:
    ada, eve = quarry.caller("ada"), quarry.caller("eve")
    await checking(ada)
    await checking(eve)
    await checking(ada, face="south")
    assert quarry.begun == [1, 1, 1]


async def test_with_another_secret_it_is_another_look(quarry: Quarry) -> None:
    caller = quarry.caller()
    await checking(caller, word="open")
    await checking(caller, word="sesame")
    code = code_in(await caller.told("blast", word="sesame"))
    assert quarry.begun == [1, 2]
    assert "Checking" in await caller.told("blast", word="open", confirm=code)
    assert quarry.blasts == []


async def test_two_calls_at_once_do_it_once_at_most(quarry: Quarry) -> None:
    caller = quarry.caller("ada")
    await asyncio.gather(checking(caller), checking(caller))
    # Of two calls at once, the second may also go on with what the first has begun.
    assert sum(quarry.begun) == 2
    await approve(quarry, (await caller.call("blast"))["structuredContent"]["change"]["id"])
    looked = await asyncio.gather(caller.call("blast"), caller.call("blast"))
    results = [*looked, *await asyncio.gather(caller.call("blast"), caller.call("blast"))]
    assert sum(not one["isError"] for one in results) <= 1
    assert len(quarry.blasts) == sum(not one["isError"] for one in results)


async def test_a_look_that_failed_is_not_followed_any_more(quarry: Quarry) -> None:
    caller = quarry.caller()
    await checking(caller)
    quarry.fails = True
    assert "no such face" in await caller.told("blast")
    quarry.fails = False
    await checking(caller)
    assert quarry.begun == [2, 1]


async def test_a_look_that_never_ends_is_begun_anew_after_a_while(quarry: Quarry) -> None:
    caller = quarry.caller()
    quarry.takes = 100
    for _ in range(4):
        await checking(caller)
        quarry.now += 5 * MINUTE
    assert quarry.begun == [3, 1]


@pytest.mark.parametrize(("seconds", "begun"), [(899.5, [2]), (900, [1, 1])])
async def test_a_look_goes_on_for_a_quarter_of_an_hour(quarry: Quarry, seconds: float, begun: list[int]) -> None:
    caller = quarry.caller()
    quarry.takes = 100
    await checking(caller)
    quarry.now += seconds
    await checking(caller)
    assert quarry.begun == begun


@pytest.mark.parametrize(("asked", "told"), [(0.2, 1), (1.4, 1), (19.6, 20), (20.4, 20), (60.0, 20)])
async def test_the_next_call_comes_in_one_to_twenty_seconds(quarry: Quarry, asked: float, told: int) -> None:
    caller = quarry.caller()
    quarry.again_in = asked
    assert (await checking(caller))["again_in"] == told


@pytest.mark.parametrize(("seconds", "is_applied"), [(299.5, True), (300, False)])
async def test_what_is_being_applied_is_not_begun_again_for_five_minutes(
    quarry: Quarry, seconds: float, *, is_applied: bool
) -> None:
    caller = quarry.caller("ada")
    quarry.takes = 0
    name = (await caller.call("blast"))["structuredContent"]["change"]["id"]
    change = await quarry.ledger.find(name)
    assert change is not None
    await quarry.ledger.begin(change)
    quarry.now += seconds
    looked = len(quarry.begun)
    assert ("is being applied right now" in await caller.told("blast")) == is_applied
    assert len(quarry.begun) == looked + (not is_applied)
    assert quarry.blasts == []


async def test_old_looks_are_forgotten(quarry: Quarry) -> None:
    caller = quarry.caller()
    await checking(caller)
    quarry.now += 86_401
    await quarry.ledger.forget()
    storage = FolderStorage(quarry.folder)
    assert await storage.scan("changes", "look-") == []


async def test_the_record_says_that_it_was_asked(quarry: Quarry, records: Records) -> None:
    await checking(quarry.caller())
    assert [one["outcome"] for one in records.all] == [Outcome.ASKED]


async def test_what_is_applied_has_a_mark_that_tells_nothing_of_its_change(quarry: Quarry) -> None:
    caller = quarry.caller("ada")
    await checking(caller)
    name = (await caller.call("blast"))["structuredContent"]["change"]["id"]
    await approve(quarry, name)
    await checking(caller)
    await caller.call("blast")
    (blast,) = quarry.blasts
    assert (len(blast["mark"]), blast["previewed"], blast["mark"] in name) == (16, True, False)


async def approve(quarry: Quarry, name: str, at: float = 0.0) -> None:
    change = await quarry.ledger.find(name)
    assert change
    await quarry.ledger.decide(change, Decision(at or quarry.now, change.asked_by, By.PAGE, is_yes=True))
