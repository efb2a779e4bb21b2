"""Lists the newest changes that a person may see, grouped for a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from changes.approval_request import ApprovalRequest, Who
from changes.approvals import Approvals
from changes.ledger import Ledger
from identity.caller import Caller

MOST_LISTED: Final = 200
# At most this many waiting changes are listed for each requester, so that nobody can flood the list.
MOST_OF_ONE: Final = 50
_PAGE: Final = 500
MOST_READ: Final = 20_000
_MOST_PAGES: Final = MOST_READ // _PAGE
# Some changes are too old to be waiting for a decision. After this many pages that end with such a change, reading
# stops.
_MOST_PAST_PAGES: Final = 4


@dataclass
class Overview:
    """The changes that wait for a person, the person's own changes, and other changes that the person may see."""

    waiting: list[ApprovalRequest] = field(default_factory=list)
    own: list[ApprovalRequest] = field(default_factory=list)
    rest: list[ApprovalRequest] = field(default_factory=list)
    # The number of changes that wait for the person but are not listed.
    unlisted: int = 0
    # Whether every change that may be waiting for a decision has been read.
    is_complete: bool = True

    def add_waiting(self, change: ApprovalRequest, *, is_one_too_many: bool) -> None:
        if is_one_too_many:
            self.unlisted += 1
        else:
            self.waiting.append(change)

    def add_other(self, change: ApprovalRequest, *, is_own: bool) -> None:
        listed = self.own if is_own else self.rest
        if len(listed) < MOST_LISTED:
            listed.append(change)


async def overview_for(person: Caller, approvals: Approvals) -> Overview:
    """List the changes for a person."""
    # Changes that the person may not see do not count toward the maximum number of listed changes.
    overview, who, waiting_of = Overview(), Who.of(person), Counter[tuple[str, str]]()
    async for change in _recent(approvals.kept(), overview):
        asker = change.asked_by
        if approvals.waits_for(person, change):
            waiting_of[asker.tenant, asker.subject] += 1
            overview.add_waiting(change, is_one_too_many=waiting_of[asker.tenant, asker.subject] > MOST_OF_ONE)
        elif approvals.may_see(person, change):
            overview.add_other(change, is_own=asker.is_same_person(who))
    return overview


async def _recent(ledger: Ledger, overview: Overview) -> AsyncIterator[ApprovalRequest]:
    """Read the changes that may be waiting for a decision, and some older changes."""
    oldest, past, after = ledger.clock() - ledger.seconds, 0, ""
    for _ in range(_MOST_PAGES):
        page = await ledger.newest(_PAGE, after)
        for change in page:
            yield change
        if len(page) < _PAGE:
            return
        after, is_past = page[-1].id, page[-1].created < oldest
        past += is_past
        if past == _MOST_PAST_PAGES:
            return
    overview.is_complete = is_past
