"""Attacks on the list of changes by callers who ask for so many that it would hide what others ask for."""

from __future__ import annotations

from typing import Final

import pytest

from changes.approval_request import ApprovalRequest, RequiredApprover, Who
from changes.overview import MOST_OF_ONE
from changes.plan import Plan
from changes.preview import Preview
from tests.changes.bench import ADA, BEA, BRICK, OTHER, Office, text_of
from tests.fakes.issuer import TENANT, USER

pytestmark = pytest.mark.anyio

GRACE: Final = Who(TENANT, OTHER.replace("ff", "fe"))
MALLORY: Final = Who(TENANT, OTHER.replace("ff", "fd"))
OF_ADA: Final = Who(TENANT, USER)


async def asked(office: Office, room: str, who: Who, asks: RequiredApprover = RequiredApprover.ANOTHER) -> None:
    plan = Plan("office-doors", BRICK, "destroy", {"room": room}, Preview(what=f"The door of {room}"))
    change = ApprovalRequest(
        id="",
        call=plan.call,
        digest=plan.digest,
        toolset=plan.toolset,
        tool=plan.tool,
        access=plan.access,
        what=plan.preview.what,
        asked_by=who,
        asks=asks,
        created=0.0,
        until=0.0,
    )
    await office.app.approvals.kept().propose(plan, change)


@pytest.mark.parametrize("asks", [RequiredApprover.CALLER, RequiredApprover.ANOTHER])
async def test_nobody_hides_what_waits_by_asking_often(house: Office, asks: RequiredApprover) -> None:
    await asked(house, "the-cellar", GRACE)
    await asked(house, "the-attic", OF_ADA)
    for number in range(205):
        await asked(house, f"room-{number}", MALLORY, asks)
    bea, ada = house.browser(**BEA), house.browser(**ADA)
    page = text_of(await bea.visit("/changes"))
    assert "The door of the-cellar" in page
    assert page.count("The door of room-") == (0 if asks is RequiredApprover.CALLER else MOST_OF_ONE)
    assert ("155 more changes wait for you" in page) == (asks is RequiredApprover.ANOTHER)
    assert "The door of the-attic" in text_of(await ada.visit("/changes")).partition("Your requests")[2]


async def test_many_callers_together_hide_nothing_either(house: Office) -> None:
    await asked(house, "the-cellar", GRACE)
    for number in range(205):
        await asked(house, f"room-{number}", Who(TENANT, f"{number:08}-0000-4000-8000-000000000000"))
    page = text_of(await house.browser(**BEA).visit("/changes"))
    assert page.count("The door of room-") == 205
    assert "The door of the-cellar" in page
