"""Checks all watches on a timer. Turns news into notices, which the task queue sends.

Checks may run concurrently and be killed at any point:

1. A check writes notices together with the new state of the watch, but only if the watch has not changed since it was
  read. Therefore, only one of two concurrent checks succeeds. If a check is killed, the next check finds the same news.
2. If a check is killed before it starts the task of a notice, the next check starts this task. A sender claims a notice
  before sending it, so no two senders send the same notice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import Final

from tasks.tasks import Tasks
from watching.delivery import NoticeOccasion, WatchDelivery, WatchDeliveryState, parts_of
from watching.news import NoticeEntry, entries_of
from watching.store import WatchOvertakenError, WatchStore, numbered
from watching.subject import WatchFailsError, WatchFindings, WatchSubject
from watching.watch import FEED, Watch, WatchPace

# The name of the task that sends a notice.
SEND: Final = "send-watch-notice"
# The owner of tasks that no caller started.
_OWNER: Final = "this server"
# If a due notice is not sent within this many seconds, its task is considered lost.
_NEGLECTED: Final = 900.0

# The reason for a notice, and the entries of the notice. The entries are divided into parts that each fit into one
# message.
_Notice = tuple[NoticeOccasion, Sequence[Sequence[NoticeEntry]]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WatchRounds:
    store: WatchStore
    subject_of: Callable[[Watch], WatchSubject]
    clock: Callable[[], float] = time

    async def go(self, tasks: Tasks) -> int:
        """Check every watch, and return the number of notices that will be sent. If a watch fails, all other watches
        are still checked.

        Raises:
            ExceptionGroup: Some watches failed. Each exception has a note with the ID of its watch.
        """
        begun, failures = 0, []
        # Watches of resources are checked last, because their checks take longest.
        for watch in sorted(await self.store.everything(), key=lambda one: bool(one.scopes)):
            try:
                begun += await self._check_and_store(watch, tasks)
            except WatchOvertakenError:
                logger.info("Watch %s is being checked by another process", watch.id)
            except Exception as failure:  # noqa: BLE001 - raised after all watches are checked
                failure.add_note(f"in the watch {watch.id}")
                failures.append(failure)
        begun += await self._pick_up(tasks)
        if failures:
            raise ExceptionGroup("Some watches could not be checked and will be retried", failures)
        return begun

    async def send(self, deliveries: Sequence[WatchDelivery], tasks: Tasks) -> int:
        """Start a task for each unsent notice. Notices in a feed need no task."""
        due = [delivery for delivery in deliveries if delivery.is_open]
        for delivery in due:
            await tasks.begin(SEND, _OWNER, {"notice": delivery.id}, "Sending news of a watch")
        return len(due)

    async def _check_and_store(self, watch: Watch, tasks: Tasks) -> int:
        now = self.clock()
        if watch.is_expired(now):
            return 0
        looked, memory, news = await self._check(watch, now) if now >= watch.due else (watch, None, [])
        if looked.is_to_be_warned(now):
            looked, news = replace(looked, warned=looked.expires), [*news, (NoticeOccasion.EXPIRING, [()])]
        if looked == watch:
            return 0
        deliveries = _numbered_deliveries(watch, news, now)
        looked = replace(looked, notices=watch.notices + len(deliveries))
        await self.store.replace(looked, memory, deliveries)
        return await self.send(deliveries, tasks)

    async def _check(self, watch: Watch, now: float) -> tuple[Watch, bytes | None, list[_Notice]]:
        """Check a watch. Return the new state of the watch, the data for its next check, and the notices to send."""
        try:
            findings = await self.subject_of(watch).look(watch, await self.store.memory(watch))
        except WatchFailsError as refused:
            notices: list[_Notice] = [(NoticeOccasion.TROUBLE, [()])] if watch.trouble != str(refused) else []
            return replace(watch, trouble=str(refused), due=watch.pace.next(now)), None, notices
        if findings is None:
            return replace(watch, due=_next(watch, now)), None, []
        looked = replace(watch, cursor=findings.cursor, trouble="", due=_after(watch, findings, now))
        return looked, findings.memory, [(NoticeOccasion.NEWS, parts_of(entries_of(findings.news)))]

    async def _pick_up(self, tasks: Tasks) -> int:
        """Start new tasks for due notices whose tasks were lost."""
        now = self.clock()
        open_ones = await self.store.open_ones()
        return await self.send([one for one in open_ones if max(one.due, one.held) + _NEGLECTED < now], tasks)


def _next(watch: Watch, now: float) -> float:
    """Return the time of the next check of a watch. A watch with immediate notices is checked in every round."""
    return watch.due if watch.pace is WatchPace.IMMEDIATELY else watch.pace.next(now)


def _after(watch: Watch, findings: WatchFindings, now: float) -> float:
    return _next(watch, now) if findings.is_all else watch.due


def _numbered_deliveries(watch: Watch, news: Sequence[_Notice], now: float) -> list[WatchDelivery]:
    deliveries = [one for occasion, parts in news for one in _deliveries(watch, occasion, parts, now)]
    return [replace(one, id=numbered(watch, watch.notices + n)) for n, one in enumerate(deliveries, 1)]


def _deliveries(
    watch: Watch, occasion: NoticeOccasion, parts: Sequence[Sequence[NoticeEntry]], now: float
) -> list[WatchDelivery]:
    state = WatchDeliveryState.PUBLISHED if watch.destination.to == FEED else WatchDeliveryState.WAITING
    return [
        WatchDelivery(
            id="",
            watch=watch.key,
            occasion=occasion,
            entries=entries,
            part=number,
            parts=len(parts),
            created=now,
            due=now,
            state=state,
        )
        for number, entries in enumerate(parts, 1)
    ]
