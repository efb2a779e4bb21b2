"""Attacks on agreements to changes: forged, replayed, swapped, too late, by the wrong people. Nothing is ever done."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from changes.approval_request import ApprovalRequest, By
from tests.attacks.changes import ANOTHER, ELM, OAK, PAGE, Siege, besieged, felling
from tests.changes.oracle import Call
from tests.changes.playing import at_once
from tests.changes.yard import CALLERS, THE_YARD
from tests.sweeps import Sweep

pytestmark = pytest.mark.anyio

BEA: Final = CALLERS["bea"]


async def test_what_is_attacked_can_be_done(siege: Siege) -> None:
    """Else nothing below would have to be refused."""
    await siege.approved()
    await siege.calls("ada")
    assert siege.done == [("fell", OAK.arguments)]


# --- by whom it is used

STRANGERS: Final = [name for name in CALLERS if name != "ada"]


@pytest.mark.parametrize("name", STRANGERS, ids=[f"{name} uses what was agreed to for ada" for name in STRANGERS])
async def test_no_agreement_is_good_for_somebody_else(siege: Siege, name: str) -> None:
    await siege.approved()
    await siege.calls(name)
    assert siege.done == []


# --- by whom it is given

NO_DECIDERS: Final = [name for name in CALLERS if name != "bea"]


@Sweep("name", NO_DECIDERS, ids=[f"{name} agrees to what ada asked for" for name in NO_DECIDERS], every=2)
@pytest.mark.parametrize("by", [By.PAGE, By.FORM, By.MODEL, By.LAPTOP])
async def test_nobody_but_another_person_who_may_do_the_same_agrees(siege: Siege, name: str, by: By) -> None:
    change = (await siege.calls("ada")).change
    may = name == "a guest with the id of ada" and by in {By.PAGE, By.LAPTOP}  # another person, who may do the same
    assert await siege.decides(name, change, by=by) is may
    if not may:
        await siege.calls("ada")
        assert siege.done == []


FOR_OTHERS: Final = {
    "ada agrees to what her agent asked for": ("ada's agent", "ada"),
    "ada agrees by another client to what her agent asked for": ("ada's agent", "ada by another client"),
    "an agent agrees to what ada's other agent asked for": ("another agent of ada", "ada's agent"),
    "an application agrees to its own": ("an application", "an application"),
    "an application agrees to what an agent asked for": ("an agent for itself", "an application"),
    "an agent agrees for itself to what its account asked for": ("an account of an agent", "an agent for itself"),
    "an account of an agent agrees to what the agent asked for": ("an agent for itself", "an account of an agent"),
    "a key agrees to what an application asked for": ("an application", "a key"),
    "nobody agrees to what a key asked for": ("a key", "nobody"),
    "who only reads agrees to what an application asked for": ("an application", "cleo, who only reads"),
}


@pytest.mark.parametrize(("asker", "approver"), FOR_OTHERS.values(), ids=FOR_OTHERS)
async def test_what_programs_ask_for_is_agreed_to_by_no_program_and_not_by_whom_it_acts_for(
    siege: Siege, asker: str, approver: str
) -> None:
    change = (await siege.calls(asker)).change
    assert not await siege.decides(approver, change)
    await siege.calls(asker)
    assert siege.done == []


ALMOST_KEEPER: Final = {
    "in small letters": "keeper",
    "in capitals": "KEEPER",
    "with a blank": "Keeper ",
    "with an s": "Keepers",
    "with a letter of another alphabet": "K\u0435eper",
    "with what nobody sees": "Keeper\u200b",
    "with a wide letter": "\uff2beeper",
    "with a pattern": "*",
    "with all of them": "Keeper,Worker",
    "with the word for all": "all",
}


@pytest.mark.parametrize("role", ALMOST_KEEPER.values(), ids=ALMOST_KEEPER)
async def test_a_role_almost_called_so_is_not_the_one(tmp_path: Path, role: str) -> None:
    with besieged(tmp_path, {"ask": "another", "of": ["Keeper"]}) as siege:
        change = (await siege.calls("ada")).change
        assert not await siege.decides(replace(BEA, roles=frozenset({role, "Worker"})), change)
        assert await siege.decides(replace(BEA, roles=frozenset({"Keeper"})), change)


async def test_a_role_taken_away_between_looking_and_deciding_is_gone(siege: Siege) -> None:
    change = (await siege.calls("ada")).change
    seen = await siege.found(change)
    assert siege.play.approvals.may_see(BEA, seen)
    assert not await siege.decides(replace(BEA, roles=frozenset({"Keeper"})), change)


@pytest.mark.parametrize("name", STRANGERS)
async def test_what_only_its_caller_decides_is_shown_to_nobody_else(own: Siege, name: str) -> None:
    change = (await own.calls("ada")).change
    caller = CALLERS[name]
    is_ada = (caller.tenant, caller.subject) == (CALLERS["ada"].tenant, "ada")
    is_decided = await own.decides(name, change)
    assert is_decided is (is_ada and caller.is_person)


# --- for what it is used


OTHER_CALLS: Final = {
    "another tree": (OAK, ELM),
    "notes where none were": (OAK, felling("a")),
    "no notes where some were": (felling("a"), OAK),
    "a list of pairs instead of an object": (felling({"a": 1}), felling([["a", 1]])),
    "an object instead of a list of pairs": (felling([["a", 1]]), felling({"a": 1})),
    "an empty list instead of an empty object": (felling({}), felling([])),
    "a text instead of a number": (felling(1), felling("1")),
    "true instead of one": (felling(1), felling(True)),
    "the same in another order": (
        Call("fell_all", {"trees": ["oak", "elm"]}),
        Call("fell_all", {"trees": ["elm", "oak"]}),
    ),
    "one more": (Call("fell_all", {"trees": ["oak"]}), Call("fell_all", {"trees": ["oak", "elm"]})),
    "the same twice": (Call("fell_all", {"trees": ["oak"]}), Call("fell_all", {"trees": ["oak", "oak"]})),
    "another tool with the same preview": (OAK, Call("trim", {"tree": "oak", "hard": True})),
    "a blank at the end": (felling("a"), felling("a ")),
    "another form of the same letter": (felling("\u00e9"), felling("e\u0301")),
    "a number beside it": (felling(1), felling(1.5)),
}


@pytest.mark.parametrize(("asked", "called"), OTHER_CALLS.values(), ids=OTHER_CALLS)
async def test_no_agreement_is_good_for_another_call(siege: Siege, asked: Call, called: Call) -> None:
    await siege.approved(call=asked)
    await siege.calls("ada", called)
    assert siege.done == []


MEANWHILE: Final = {
    "has another title": {"title": "The oak of the mayor"},
    "has grown": {"height": 10},
    "is somewhere else": {"project": "Street"},
    "is nobody knows where": {"project": None},
    "is protected": {"grave": "It is protected."},
    "cannot be looked at": {"is_hidden": True},
}


@pytest.mark.parametrize("changed", MEANWHILE.values(), ids=[f"the tree {name} meanwhile" for name in MEANWHILE])
async def test_no_agreement_is_good_for_what_has_changed_since(siege: Siege, changed: dict[str, Any]) -> None:
    before = THE_YARD.trees["oak"]
    outdated = await siege.approved()
    THE_YARD.trees["oak"] = replace(before, **changed)
    told = await siege.calls("ada")
    assert "a different effect than the preview" in told.words
    assert siege.done == []
    # Nor when it is again as it was.
    THE_YARD.trees["oak"] = before
    await siege.calls("ada")
    assert (siege.done, (await siege.found(outdated)).state) == ([], "outdated")


RULES: Final = {
    "now asks another person": ([{"ask": "caller"}], [ANOTHER]),
    "now asks one of a role": ([ANOTHER], [{"ask": "another", "of": ["Keeper"]}]),
    "now asks one of another role": ([{"ask": "another", "of": ["Worker"]}], [{"ask": "another", "of": ["Keeper"]}]),
    "now asks of more than one role": (
        [{"ask": "another", "of": ["Worker"]}],
        [{"ask": "another", "of": ["Worker", "Keeper"]}],
    ),
}


@pytest.mark.parametrize(("before", "after"), RULES.values(), ids=[f"a rule {name}" for name in RULES])
async def test_no_agreement_is_good_by_rules_of_before(tmp_path: Path, before: Any, after: Any) -> None:
    with besieged(tmp_path, *before) as siege:
        await siege.approved(approver="ada" if before == [{"ask": "caller"}] else "bea")
        siege.play.redeployed(rules=after)
        await siege.calls("ada")
        assert siege.done == []


# --- when, and how often

LATE: Final = {"at its end": 3600, "an hour later": 7200, "a year later": 31_536_000}


@pytest.mark.parametrize("seconds", LATE.values(), ids=LATE)
async def test_no_agreement_is_good_after_its_time(siege: Siege, seconds: int) -> None:
    await siege.approved()
    siege.play.now += seconds
    await siege.calls("ada")
    assert siege.done == []


@pytest.mark.parametrize("seconds", LATE.values(), ids=LATE)
async def test_nothing_is_agreed_to_after_its_time(siege: Siege, seconds: int) -> None:
    change = (await siege.calls("ada")).change
    siege.play.now += seconds
    assert not await siege.decides("bea", change)


async def test_a_clock_that_goes_back_uses_no_agreement_again(siege: Siege) -> None:
    await siege.approved()
    await siege.calls("ada")
    siege.play.now -= 1800
    await siege.calls("ada")
    assert len(siege.done) == 1


@pytest.mark.parametrize("times", [2, 5])
async def test_of_calls_at_once_one_uses_the_agreement(siege: Siege, times: int) -> None:
    await siege.approved()
    await at_once(*(siege.play.call("ada", OAK, PAGE) for _ in range(times)))
    assert len(siege.done) == 1


async def test_of_agreements_at_once_one_is_kept(siege: Siege) -> None:
    change = (await siege.calls("ada")).change
    found = await siege.found(change)
    others = [replace(BEA, subject=f"bea {number}") for number in range(4)]
    deciding = (siege.play.approvals.decide(other, found, is_yes=True, by=By.PAGE) for other in others)
    kept = [one for one in await asyncio.gather(*deciding, return_exceptions=True) if isinstance(one, ApprovalRequest)]
    assert len(kept) == 1
    assert (await siege.found(change)).decision == kept[0].decision


async def test_to_deny_what_was_agreed_to_is_too_late_and_said_so(siege: Siege) -> None:
    change = await siege.approved()
    assert not await siege.decides("bea", change, is_yes=False)


async def test_to_agree_to_what_was_denied_is_too_late(siege: Siege) -> None:
    change = (await siege.calls("ada")).change
    assert await siege.decides("bea", change, is_yes=False)
    assert not await siege.decides("bea", change)
    assert "was denied" in (await siege.calls("ada")).words
    assert siege.done == []


async def test_to_agree_while_it_is_being_done_adds_nothing(siege: Siege) -> None:
    change = await siege.approved()
    THE_YARD.held, THE_YARD.begun = asyncio.Event(), asyncio.Event()
    doing = asyncio.create_task(siege.play.call("ada", OAK, PAGE))
    await THE_YARD.begun.wait()
    assert not await siege.decides("bea", change)
    assert not await siege.decides("bea", change, is_yes=False)
    assert "is being applied right now" in (await siege.calls("ada")).words
    THE_YARD.held.set()
    await doing
    assert ((await siege.found(change)).state, len(siege.done)) == ("applied", 1)


@pytest.mark.parametrize("seconds", [0, 299, 301, 3000])
async def test_what_was_killed_is_not_done_again_by_itself(siege: Siege, seconds: int) -> None:
    await siege.approved()
    THE_YARD.held, THE_YARD.begun = asyncio.Event(), asyncio.Event()
    doing = asyncio.create_task(siege.play.call("ada", OAK, PAGE))
    await THE_YARD.begun.wait()
    doing.cancel()
    await asyncio.gather(doing, return_exceptions=True)
    THE_YARD.held, THE_YARD.begun = None, None
    siege.play.now += seconds
    await siege.calls("ada")
    assert len(siege.done) == 1
