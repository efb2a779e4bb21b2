"""Who has to approve a change, who may see and decide it, and where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from changes.approval_request import ApprovalRequest, ApprovalState, By, RequiredApprover, Who
from changes.approvals import Approvals
from changes.effects import Effect
from changes.ledger import Ledger
from changes.plan import Plan
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import NOT_NEEDED, ApprovalNeed, Rules
from changes.undo import by_call
from clients.folder_storage import FolderStorage
from identity.access import Access
from identity.caller import ANONYMOUS, Agent, Caller, CallerKind
from identity.grants import Grants
from refusal import Refusal
from tests.fakes.storages import Clock

NOBODY, CALLER, ANOTHER = RequiredApprover
ADA = Caller(CallerKind.USER, "home", "ada", "desk")
GRACE = Caller(CallerKind.USER, "home", "grace", "desk", roles=frozenset({"Lead"}))
AGENT = Agent("agent")
FOR_ADA = replace(ADA, agent=AGENT)
ACCOUNT = replace(ADA, agent=AGENT, is_agents_account=True)
PROGRAM = Caller(CallerKind.APP, "home", "program", "program")
KEY = Caller(CallerKind.KEY, subject="ci")
NOW = Clock().now


def request(asks: RequiredApprover = CALLER, **more: Any) -> ApprovalRequest:
    needed: dict[str, Any] = {
        "id": "id",
        "call": "call",
        "digest": "digest",
        "toolset": "office-doors",
        "tool": "brick_up_door",
        "access": "destroy",
        "what": "The attic",
        "asked_by": Who.of(ADA),
        "created": NOW,
        "until": NOW + 3600,
    }
    return ApprovalRequest(asks=asks, **{**needed, **more})


def plan(**preview: Any) -> Plan:
    return Plan.of("office-doors", "brick_up_door", "destroy", {}, Preview(what="The attic", **preview))


def grants_of(caller: Caller) -> Grants:
    return Grants.of([("office-doors", Access.DESTROY if caller == GRACE else Access.WRITE)])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Ledger:
    return Ledger(lambda: FolderStorage(tmp_path), 3600, clock)


PAGE = "https://example.com"
OPEN: dict[str, Any] = {"page": lambda origin, path: f"{PAGE}/{origin}{path}"}


def test_a_page_is_at_the_origin_of_the_caller_if_there_are_pages() -> None:
    assert Approvals(**OPEN).address("mine", "/changes/x") == f"{PAGE}/mine/changes/x"
    assert Approvals().address("mine", "/changes/x") == "/changes/x"


def test_a_call_may_need_approval_because_of_a_rule_or_of_its_caller() -> None:
    call = ("office-doors", "brick_up_door")
    assert Approvals().may_concern(ADA, *call, Access.DESTROY, frozenset({Effect.DESTROYS}))
    assert not Approvals().may_concern(ADA, *call, Access.WRITE, frozenset())
    assert Approvals().may_concern(FOR_ADA, *call, Access.WRITE, frozenset())
    assert Approvals(has_to_ask=lambda _: True).may_concern(ADA, *call, Access.WRITE, frozenset())


@pytest.mark.parametrize(
    ("rule", "notify", "expected"),
    [
        (Rule(NOBODY), (), (NOBODY, 0, ())),
        (Rule(CALLER, fresh=5), ("chat",), (CALLER, 5, ())),
        (Rule(ANOTHER, fresh=5), (), (ANOTHER, 5, ())),
        (Rule(ANOTHER), ("chat",), (ANOTHER, 0, ("chat",))),
        (Rule(ANOTHER, notify=("mail",)), ("chat",), (ANOTHER, 0, ("mail",))),
    ],
)
def test_what_a_rule_needs(rule: Rule, notify: tuple[str, ...], expected: tuple[Any, ...]) -> None:
    need = Approvals(Rules([rule]), notify=notify).need(ADA, plan(), Access.DESTROY)
    assert (need.asks, need.fresh, need.notify) == expected


def test_an_incomplete_preview_is_the_reason_only_where_the_rule_asks_the_caller() -> None:
    unknown = plan(missing=["the policies"])
    by_rule = Approvals(Rules([Rule(ANOTHER, of=("Lead",))])).need(ADA, unknown, Access.DESTROY)
    assert by_rule == ApprovalNeed(ANOTHER, ("Lead",), "An approval rule requires this approval.")
    by_doubt = Approvals(Rules([Rule(CALLER)])).need(ADA, unknown, Access.DESTROY)
    assert by_doubt == ApprovalNeed(ANOTHER, (), "The preview is incomplete.")
    assert Approvals(Rules([Rule(NOBODY)])).need(ADA, unknown, Access.DESTROY) == ApprovalNeed(NOBODY)


def test_an_agent_has_to_ask_the_person_for_whom_it_acts() -> None:
    approvals = Approvals(Rules([Rule(NOBODY)]))
    assert approvals.need(FOR_ADA, plan(), Access.WRITE).asks is CALLER
    assert approvals.need(ADA, plan(), Access.WRITE) is NOT_NEEDED


@pytest.mark.parametrize("keeps", [True, False])
def test_on_a_laptop_the_caller_is_enough_unless_rules_hold_there(keeps: bool) -> None:
    strict = Rules([Rule(ANOTHER, fresh=5, notify=("mail",))])
    need = Approvals(strict, is_laptop=True, laptop_keeps_rules=keeps).need(ANONYMOUS, plan(), Access.DESTROY)
    assert (need.asks, need.fresh, need.notify) == ((ANOTHER, 5, ("mail",)) if keeps else (CALLER, 0, ()))


@pytest.mark.parametrize("caller", [PROGRAM, ACCOUNT, replace(PROGRAM, agent=AGENT)])
@pytest.mark.parametrize("by_argument", [True, False])
@pytest.mark.parametrize("can_be_undone", [True, False])
def test_a_program_needs_a_person_unless_it_may_confirm_what_can_be_undone(
    caller: Caller, by_argument: bool, can_be_undone: bool
) -> None:
    undo = {"undo": by_call("open_door")} if can_be_undone else {}
    need = Approvals(by_argument=by_argument).need(caller, plan(**undo), Access.DESTROY)
    assert need.asks is (CALLER if by_argument and can_be_undone else ANOTHER)
    assert Approvals().need(ADA, plan(**undo), Access.DESTROY).asks is CALLER


@pytest.mark.parametrize(
    ("change", "ada", "grace"),
    [
        (request(CALLER), "", "Only the requester"),
        (request(ANOTHER), "another person must decide", ""),
        (request(ANOTHER, of=("Lead", "Admin")), "another person must decide", ""),
        (request(ANOTHER, of=("Admin", "Boss")), "another person must decide", "role Admin or Boss"),
        (request(ANOTHER, asked_by=Who.of(FOR_ADA)), "another person must decide", ""),
        (request(CALLER, asked_by=Who.of(FOR_ADA)), "", "Only the requester"),
        (request(ANOTHER, toolset="office-windows"), "another person must decide", "allowed to call brick_up_door"),
    ],
)
def test_who_may_decide_and_see_a_change(ledger: Ledger, change: ApprovalRequest, ada: str, grace: str) -> None:
    approvals = Approvals(ledger=ledger, grants_of=grants_of)
    for person, refusal in ((ADA, ada), (GRACE, grace)):
        told = approvals.refusal_of(person, change)
        assert bool(told) == bool(refusal)
        assert refusal in told
        assert approvals.waits_for(person, change) == (not refusal)
        assert approvals.may_see(person, change) == (person == ADA or not refusal)


@pytest.mark.parametrize("somebody", [PROGRAM, KEY, ANONYMOUS, FOR_ADA, ACCOUNT])
@pytest.mark.parametrize("asks", [CALLER, ANOTHER])
def test_only_a_person_decides_at_a_page(ledger: Ledger, somebody: Caller, asks: RequiredApprover) -> None:
    approvals = Approvals(ledger=ledger, grants_of=lambda _: Grants.of([("office-doors", Access.DESTROY)]))
    assert "Only a person" in approvals.refusal_of(somebody, request(asks))


def test_nobody_else_decides_where_it_is_not_known_who_may_call_what(ledger: Ledger) -> None:
    assert "must also be allowed to call" in Approvals(ledger=ledger).refusal_of(GRACE, request(ANOTHER))


@pytest.mark.parametrize(
    ("keeps", "asks", "may"),
    [(False, CALLER, True), (False, ANOTHER, True), (True, CALLER, True), (True, ANOTHER, False)],
)
def test_who_decides_on_a_laptop(ledger: Ledger, keeps: bool, asks: RequiredApprover, may: bool) -> None:
    approvals = Approvals(ledger=ledger, is_laptop=True, laptop_keeps_rules=keeps)
    assert (approvals.refusal_of(ANONYMOUS, request(asks)) == "") == may
    assert approvals.waits_for(ANONYMOUS, request(asks)) == may
    assert approvals.may_see(ANONYMOUS, request(asks))


def test_a_change_waits_while_it_is_open_and_undecided(ledger: Ledger, clock: Clock) -> None:
    approvals = Approvals(ledger=ledger, grants_of=grants_of)
    assert not approvals.waits_for(ADA, request(state=ApprovalState.APPROVED))
    clock.now += 3599
    assert approvals.waits_for(ADA, request())
    clock.now += 1
    assert not approvals.waits_for(ADA, request())


@pytest.mark.parametrize(
    ("fresh", "signed_in_at", "refusal"),
    [
        (0, 0.0, ""),
        (0, 1.0, ""),
        (5, 0.0, "does not say when"),
        (5, NOW - 299.5, ""),
        (5, NOW - 300, "within the last 5 minutes"),
        (5, NOW, ""),
    ],
)
def test_a_sign_in_is_recent_for_as_many_minutes_as_the_rule_says(
    ledger: Ledger, fresh: int, signed_in_at: float, refusal: str
) -> None:
    approvals, approver = Approvals(ledger=ledger), replace(ADA, signed_in_at=signed_in_at)
    told = approvals.refusal_of(approver, request(fresh=fresh))
    assert (refusal in told, bool(told)) == (True, bool(refusal))
    assert approvals.waits_for(approver, request(fresh=fresh))  # after another sign-in


@pytest.mark.parametrize(
    ("caller", "by_argument", "pages", "is_laptop", "form", "argument"),
    [
        (ADA, True, True, False, True, False),
        (ADA, True, False, False, True, True),
        (ADA, False, False, False, True, False),
        (FOR_ADA, True, False, False, False, False),
        (ACCOUNT, True, True, False, False, True),
        (PROGRAM, True, True, False, False, True),
        (PROGRAM, False, True, False, False, False),
        (KEY, True, True, False, True, True),
        (ANONYMOUS, True, True, True, True, False),
        (ANONYMOUS, True, True, False, True, True),
        (ANONYMOUS, True, False, True, True, True),
    ],
)
async def test_who_may_approve_in_a_form_and_for_whom_a_model_may(
    ledger: Ledger, caller: Caller, by_argument: bool, pages: bool, is_laptop: bool, form: bool, argument: bool
) -> None:
    more = OPEN if pages else {}
    approvals = Approvals(ledger=ledger, by_argument=by_argument, is_laptop=is_laptop, **more)
    assert (approvals.takes_form(caller), approvals.takes_argument(caller)) == (form, argument)
    for by, may in ((By.FORM, form), (By.MODEL, argument)):
        change = await ledger.propose(plan(), request(asked_by=Who.of(caller)))
        if may:
            assert (await approvals.decide(caller, change, is_yes=True, by=by)).state is ApprovalState.APPROVED
        else:
            with pytest.raises(Refusal):
                await approvals.decide(caller, change, is_yes=True, by=by)


@pytest.mark.parametrize("caller", [PROGRAM, ACCOUNT, KEY, ANONYMOUS])
def test_no_model_approves_a_change_unless_it_is_allowed_to(caller: Caller) -> None:
    assert not Approvals().takes_argument(caller)


@pytest.mark.parametrize(
    "of_another",
    [
        request(ANOTHER),
        request(fresh=5),
        request(asked_by=Who.of(GRACE)),
        request(asked_by=Who.of(replace(ADA, client="phone"))),
        request(asked_by=Who.of(FOR_ADA)),
    ],
)
async def test_in_a_form_only_the_caller_decides_what_the_caller_asked_for(
    ledger: Ledger, of_another: ApprovalRequest
) -> None:
    change = await ledger.propose(plan(), of_another)
    with pytest.raises(Refusal, match="must also be allowed to call"):
        await Approvals(ledger=ledger).decide(ADA, change, is_yes=True, by=By.FORM)


async def test_a_change_is_decided_once_and_in_time(ledger: Ledger, clock: Clock) -> None:
    approvals = Approvals(ledger=ledger)
    change = await ledger.propose(plan(), request())
    clock.now += 3600
    with pytest.raises(Refusal, match="no longer waiting"):
        await approvals.decide(ADA, change, is_yes=True, by=By.PAGE)
    clock.now -= 1
    decided = await approvals.decide(ADA, change, is_yes=False, by=By.PAGE, why="Not today")
    assert decided.decision is not None
    assert (decided.state, decided.decision.at, decided.decision.why) == (ApprovalState.DENIED, clock.now, "Not today")
    with pytest.raises(Refusal, match="no longer waiting"):
        await approvals.decide(ADA, decided, is_yes=True, by=By.PAGE)


async def test_without_storage_nothing_is_decided() -> None:
    with pytest.raises(Refusal, match="does not store changes"):
        await Approvals().decide(ADA, request(), is_yes=True, by=By.PAGE)
