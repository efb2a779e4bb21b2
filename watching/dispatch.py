"""Sends a notice of a watch as a background task. If all attempts within a day fail, the notice is set aside.

A sender claims a notice before sending it. If the sender stops halfway, the notice may already have arrived. A notice
that may have arrived is sent again only to a destination where a duplicate can be detected: webhook receivers check the
notice ID; in Azure DevOps, this server searches for the notice. Chats such as Teams cannot detect duplicates, so the
status becomes unknown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import time
from typing import Final

from notifying.sending import NotificationSender, NotTakenError
from notifying.targets import NotificationTarget
from refusal import Refusal
from tasks.work import HopelessError, Next, StepDone, StepOutcome, WorkStep
from watching.delivery import WatchDelivery, WatchDeliveryState
from watching.destinations import WatchDestinations
from watching.store import WatchOvertakenError, WatchStore
from watching.watch import Watch
from watching.wording import notification_of

# The pauses between attempts, in seconds, which add up to less than a day.
PAUSES: Final = (10.0, 60.0, 300.0, 1800.0, 7200.0, 21600.0, 43200.0)
_SECONDS_HELD: Final = 60.0
_IN_DOUBT: Final = "The receiver did not answer in time."
_MAY_HAVE_ARRIVED: Final = "The sender stopped, or the receiver did not answer in time. The notice is not sent again."

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class NoticeDispatch:
    store: WatchStore
    destinations: WatchDestinations
    sender: NotificationSender
    clock: Callable[[], float] = time

    async def step(self, step: WorkStep) -> StepOutcome:
        delivery = await self.store.delivery(str(step.arguments["notice"]))
        watch = await self.store.at(delivery.watch) if delivery and delivery.is_open else None
        if delivery is None or watch is None:
            return StepDone({})
        now = self.clock()
        if (begins := max(delivery.due, delivery.held)) > now:
            return Next({}, begins - now)
        return await self._deliver(delivery, watch)

    async def _deliver(self, delivery: WatchDelivery, watch: Watch) -> StepOutcome:
        is_again = delivery.state is WatchDeliveryState.SENDING
        try:
            target = self.destinations.target_of(watch)
        except HopelessError as gone:
            return await self._set_aside(delivery, str(gone))
        try:
            if is_again and not target.tells_repeats:
                return await self._end(delivery, WatchDeliveryState.UNKNOWN, _MAY_HAVE_ARRIVED)
            claimed = await self._hold(delivery)
            return await self._send(claimed, watch, target, is_again=is_again)
        except WatchOvertakenError:
            return Next({}, _SECONDS_HELD)

    async def _hold(self, delivery: WatchDelivery) -> WatchDelivery:
        claimed = replace(delivery, state=WatchDeliveryState.SENDING, held=self.clock() + _SECONDS_HELD)
        return await self.store.move(claimed)

    async def _send(
        self, delivery: WatchDelivery, watch: Watch, target: NotificationTarget, *, is_again: bool
    ) -> StepOutcome:
        try:
            is_sure = await self.sender.send(target, notification_of(delivery, watch), is_again=is_again)
        except HopelessError as refused:
            return await self._set_aside(delivery, str(refused))
        except Refusal as not_taken:
            after = not_taken.after if isinstance(not_taken, NotTakenError) else 0.0
            return await self._again(delivery, str(not_taken), after)
        if is_sure:
            return await self._end(delivery, WatchDeliveryState.DELIVERED)
        if not target.tells_repeats:
            return await self._end(delivery, WatchDeliveryState.UNKNOWN, _MAY_HAVE_ARRIVED)
        return await self._again(delivery, _IN_DOUBT, 0.0, WatchDeliveryState.SENDING)

    async def _again(
        self, delivery: WatchDelivery, why: str, after: float, state: WatchDeliveryState = WatchDeliveryState.WAITING
    ) -> StepOutcome:
        if delivery.tries >= len(PAUSES):
            return await self._set_aside(delivery, why)
        pause = max(after, PAUSES[delivery.tries])
        waiting = delivery.waiting(self.clock() + pause, why, tries=delivery.tries + 1)
        await self.store.move(replace(waiting, state=state))
        return Next({}, pause)

    async def _set_aside(self, delivery: WatchDelivery, why: str) -> StepOutcome:
        await self.store.move(delivery.ended(WatchDeliveryState.SET_ASIDE, why))
        raise HopelessError(f"The notice {delivery.id} was set aside: {why}")

    async def _end(self, delivery: WatchDelivery, state: WatchDeliveryState, why: str = "") -> StepOutcome:
        if why:
            logger.warning("The notice %s may have arrived, and is not sent again", delivery.id)
        await self.store.move(delivery.ended(state, why))
        return StepDone({})
