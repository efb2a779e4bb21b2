"""Notifies approvers of a change when it becomes pending, before it expires, and after it is decided."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from changes.approval_request import ApprovalRequest, ApprovalState
from changes.ledger import Ledger
from changes.preview import Place, names_of
from notifying.notification import Notification
from notifying.notifier import Notifier
from refusal import Refusal
from tasks.tasks import Tasks
from tasks.work import HopelessError, Next, StepDone, StepOutcome, WorkStep

logger = logging.getLogger(__name__)

NOTIFY: Final = "notify-approvers"
# The owner of notification tasks, which do not belong to a caller.
_OWNER: Final = "this server"
# The maximum number of changes per person and hour that cause notifications, so that nobody can flood approvers with
# notifications.
MOST_OF_ONE: Final = 20
_MOST_LOOKED_AT: Final = 200
_AN_HOUR: Final = 3600.0
_MOST_WAITS: Final = 10


class Occasion(StrEnum):
    ASKED = "asked"
    EXPIRING = "expiring"
    OUTCOME = "outcome"


_HEADINGS: Final = {
    Occasion.ASKED: "A change waits for approval",
    Occasion.EXPIRING: "A change still waits for approval and expires soon",
}
_OUTCOMES: Final = {
    ApprovalState.WAITING: "Nobody decided on a change in time",
    ApprovalState.DENIED: "A change was denied",
    ApprovalState.OUTDATED: "A change is outdated: its effect would now be different",
}


@dataclass(frozen=True)
class Approvers:
    """Notifies approvers of changes.

    `before` is the number of seconds between the reminder and the expiry of a change.
    """

    notifier: Notifier
    ledger: Callable[[], Ledger]
    tasks: Callable[[], Tasks]
    before: float
    # Returns the full URL for a path, with the origin that the requester used.
    address: Callable[[str, str], str]

    async def changed(self, change: ApprovalRequest) -> None:
        """Notify the approvers of a new or decided change. A failed notification does not affect the change."""
        occasion = Occasion.ASKED if change.state is ApprovalState.WAITING else Occasion.OUTCOME
        try:
            if occasion is Occasion.ASKED and change.notify and await self._exceeds_limit(change):
                logger.warning("No notice about change %s: its caller requested too many changes", change.id)
                return
            for place in change.notify:
                begun_with = {"change": change.id, "place": place, "occasion": occasion}
                await self.tasks().begin(NOTIFY, _OWNER, begun_with, "Notifying approvers")
        except Refusal as failure:
            logger.warning("Approvers of the change %s could not be notified: %s", change.id, failure)

    async def step(self, step: WorkStep) -> StepOutcome:
        """Send the current notice to one destination, and schedule the next notice."""
        change = await self.ledger().find(str(step.arguments["change"]))
        if change is None:
            return StepDone({})
        place, now = str(step.arguments["place"]), self.ledger().clock()
        occasion = Occasion(step.left.get("occasion", step.arguments["occasion"]))
        if change.state is not ApprovalState.WAITING or now >= change.until:
            occasion = Occasion.OUTCOME
            # If the change was decided before the first notice was sent, skip the notice of the outcome, too.
            if not await self.notifier.has_notified(place, _id_of(change, Occasion.ASKED)):
                return StepDone({})
        pause = await self.notifier.tell(place, await self._notice(change, occasion))
        return _again(step, occasion, pause) if pause else self._next(change, occasion, now)

    async def forget(self) -> None:
        """Remove the records of notices about changes that no longer exist."""
        await self.notifier.claims.forget(self.ledger().oldest_kept())

    async def close(self) -> None:
        await self.notifier.claims.close()

    def _next(self, change: ApprovalRequest, occasion: Occasion, now: float) -> StepOutcome:
        if occasion is Occasion.OUTCOME:
            return StepDone({})
        reminds_at = change.until - self.before
        if occasion is Occasion.ASKED and reminds_at > now:
            return Next({"occasion": Occasion.EXPIRING}, reminds_at - now)
        return Next({"occasion": Occasion.OUTCOME}, max(change.until - now, 0.0) + 1.0)

    async def _exceeds_limit(self, change: ApprovalRequest) -> bool:
        lately = await self.ledger().newest(_MOST_LOOKED_AT)
        theirs = [one for one in lately if one.notify and one.asked_by.is_same_person(change.asked_by)]
        return sum(one.created > change.created - _AN_HOUR for one in theirs) > MOST_OF_ONE

    async def _notice(self, change: ApprovalRequest, occasion: Occasion) -> Notification:
        places = (await self.ledger().shown(change)).preview.places
        roles = f" with the role {' or '.join(change.of)}" if change.of else ""
        facts = {
            "What": change.what,
            "Asked by": change.asked_by.name or change.asked_by.subject,
            "Where": _where(places),
            "Until": datetime.fromtimestamp(change.until, UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "Approver": f"another person{roles}",
            **_decided_by(change, occasion),
        }
        heading = _HEADINGS.get(occasion) or _OUTCOMES.get(change.state, "A change was approved")
        return Notification(_id_of(change, occasion), heading, facts, self.address(change.origin, change.path))


def _again(step: WorkStep, occasion: Occasion, pause: float) -> Next:
    waits = int(step.left.get("waits", 0)) + 1
    if waits > _MOST_WAITS:
        raise HopelessError("The destination asked for a delay too many times.")
    return Next({"occasion": occasion, "waits": waits}, pause)


def _id_of(change: ApprovalRequest, occasion: Occasion) -> str:
    return f"{change.id}.{occasion}"


def _decided_by(change: ApprovalRequest, occasion: Occasion) -> dict[str, str]:
    if occasion is not Occasion.OUTCOME or change.decision is None:
        return {}
    return {"Decided by": change.decision.who.name or change.decision.who.subject}


def _where(places: Mapping[str, Place]) -> str:
    named = {name: ", ".join(names[0] for names in names_of(place) if names) for name, place in places.items()}
    return ", ".join(f"{name} {text}" for name, text in named.items() if text)
