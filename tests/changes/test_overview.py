"""The list of changes has an end, and nobody can push the changes of others out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from changes.approval_request import ApprovalRequest, ApprovalState, RequiredApprover, Who
from changes.approvals import Approvals
from changes.ledger import Ledger
from changes.looking import StillLookingError
from changes.overview import Overview, overview_for
from identity.access import Access
from identity.caller import Caller, CallerKind
from identity.grants import Grants
from refusal import Refusal

NOW = 1_800_000_000.0
ADA, BEA, EVE = (Caller(CallerKind.USER, "home", name) for name in ("ada", "bea", "eve"))


@dataclass
class Rows(Ledger):
    """A ledger that holds these requests, the newest first."""

    rows: Sequence[ApprovalRequest] = ()
    pages: int = 0

    async def newest(self, limit: int, after: str = "") -> list[ApprovalRequest]:
        self.pages += 1
        start = int(after) + 1 if after else 0
        return [*self.rows[start : start + limit]]


def request(number: int, who: Caller, created: float = NOW, **more: Any) -> ApprovalRequest:
    needed: dict[str, Any] = {
        "call": "",
        "digest": "",
        "toolset": "doors",
        "tool": "brick",
        "access": "destroy",
        "what": "",
    }
    made = ApprovalRequest(
        id=str(number), asked_by=Who.of(who), asks=RequiredApprover.ANOTHER, created=created, until=NOW + 60, **needed
    )
    return replace(made, **more)


async def listed(rows: Sequence[ApprovalRequest], person: Caller = EVE) -> tuple[Overview, int]:
    ledger = Rows(storage=_none, clock=lambda: NOW, rows=[replace(row, id=str(n)) for n, row in enumerate(rows)])
    grants = Grants.of([("doors", Access.DESTROY)])
    overview = await overview_for(person, Approvals(ledger=ledger, grants_of=lambda _: grants))
    return overview, ledger.pages


def _none() -> Any:
    raise AssertionError("Nothing else is read.")


async def test_of_each_requester_fifty_waiting_changes_are_listed() -> None:
    overview, _ = await listed([request(0, ADA)] * 51 + [request(0, BEA)] * 50)
    asked_by = [one.asked_by.subject for one in overview.waiting]
    assert (asked_by.count("ada"), asked_by.count("bea"), overview.unlisted) == (50, 50, 1)


@pytest.mark.parametrize("is_own", [True, False])
async def test_two_hundred_changes_that_do_not_wait_are_listed(is_own: bool) -> None:
    decided = request(0, ADA, state=ApprovalState.APPLIED)
    overview, _ = await listed([decided] * 201, ADA if is_own else EVE)
    assert (len(overview.own), len(overview.rest)) == ((200, 0) if is_own else (0, 200))


async def test_what_somebody_may_not_see_takes_no_place() -> None:
    hidden = request(0, ADA, asks=RequiredApprover.CALLER)
    overview, _ = await listed([hidden] * 300 + [request(0, ADA)])
    assert (len(overview.waiting), len(overview.rest)) == (1, 0)


async def test_pages_are_read_to_the_end_or_until_enough_is_too_old_to_wait() -> None:
    new, old = request(0, ADA), request(0, ADA, NOW - 3601, state=ApprovalState.APPLIED)
    in_time = request(0, ADA, NOW - 3600, state=ApprovalState.APPLIED)
    for rows, pages in (
        ([new] * 499, 1),
        ([new] * 500, 2),
        ([old] * 2500, 4),
        ([new] * 500 + [old] * 2500, 5),
        ([in_time] * 2500, 6),
    ):
        overview, read = await listed(rows)
        assert (read, overview.is_complete) == (pages, True)


async def test_a_flood_of_waiting_changes_is_read_in_part_and_that_is_said() -> None:
    flood = [request(0, ADA)] * 20_001
    overview, pages = await listed(flood)
    assert (overview.is_complete, pages) == (False, 40)
    assert (len(overview.waiting), overview.unlisted) == (50, 19_950)
    for age, is_complete in ((3601, True), (3600, False)):
        overview, pages = await listed([*flood[:19_999], request(0, ADA, NOW - age), flood[0]])
        assert (overview.is_complete, pages) == (is_complete, 40)


async def test_no_change_is_listed_twice_where_a_page_begins() -> None:
    overview, pages = await listed([request(0, ADA)] * 501)
    assert (len(overview.waiting) + overview.unlisted, pages) == (501, 2)


def test_a_look_that_goes_on_is_resumed_by_up_to_48_kilobytes() -> None:
    frame = len('{"a":""}')
    fitting = {"a": "x" * (48 * 1024 - frame)}
    going_on = StillLookingError(fitting, 5.0)
    assert (going_on.trail, going_on.seconds) == (fitting, 5.0)
    assert str(going_on).startswith("The preview is still being prepared. Nothing was done.")
    with pytest.raises(Refusal, match="too long"):
        StillLookingError({"a": f"{fitting['a']}x"}, 5.0)
