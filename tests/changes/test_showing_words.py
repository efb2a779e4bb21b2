"""The words of a page: who decides, who asked, and what its button says."""

from __future__ import annotations

from typing import Any

import pytest

from changes.approval_request import ApprovalRequest, RequiredApprover, Who
from changes.ledger import ShownPlan
from changes.plan import Plan
from changes.preview import Preview
from deciding.showing import ShownChange, deciders_of, is_for_itself, who_acts
from identity.caller import Acting

NOW = 1_800_000_000.0
WHO = Who("home", "ada", "user", "desk")


def shown(asks: RequiredApprover = RequiredApprover.ANOTHER, access: str = "destroy", **preview: Any) -> ShownChange:
    plan = Plan.of("office-doors", "brick_up_door", access, {"room": "attic"}, Preview(**{"what": "it", **preview}))
    change = ApprovalRequest(
        id="id",
        call=plan.call,
        digest=plan.digest,
        toolset=plan.toolset,
        tool=plan.tool,
        access=plan.access,
        what="it",
        asked_by=WHO,
        asks=asks,
        created=NOW,
        until=NOW + 60,
    )
    return ShownChange.of(change, ShownPlan(plan.arguments, plan.preview), NOW)


@pytest.mark.parametrize(
    ("asks", "of", "words"),
    [
        (RequiredApprover.CALLER, (), "the requester"),
        (RequiredApprover.ANOTHER, (), "another person who can make the same change"),
        (RequiredApprover.ANOTHER, ("Lead", "Admin"), "another person with the role Lead or Admin"),
    ],
)
def test_who_decides_is_told(asks: RequiredApprover, of: tuple[str, ...], words: str) -> None:
    sight = shown(asks)
    change = sight.change
    object.__setattr__(change, "of", of)
    assert deciders_of(change) == words
    assert sight.deciders == f"{words[0].upper()}{words[1:]}"


@pytest.mark.parametrize("acts", [*Acting, "another kind"])
def test_who_asked_is_told_by_its_kind(acts: str) -> None:
    who = Who(kind=acts)
    assert is_for_itself(who) == (acts in {"agent", "app"})
    assert (who_acts(who) == "somebody") == (acts == "another kind")


@pytest.mark.parametrize(
    ("sentence", "button"),
    [
        ("Delete " + "a" * 53, "Delete " + "a" * 53),
        ("Delete " + "a" * 54, "Delete " + "a" * 53 + "…"),
        ("Delete the door of the attic " + "a" * 40, "Delete the door of the attic " + "a" * 31 + "…"),
        ("Delete the front door of the attic " + "a" * 40, "Delete the front door of the attic…"),
        ("", "Brick up door: it"),
    ],
)
def test_the_button_says_what_is_destroyed_in_60_characters(sentence: str, button: str) -> None:
    assert shown(sentence=sentence).approving == button
    assert shown(sentence=sentence, destroys=False).approving == "Approve"
    assert shown(access="write", sentence=sentence).approving == "Approve"
