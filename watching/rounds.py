"""Checks all watches on a timer: news becomes notices, which the task queue sends.

It may be killed at any point, and run concurrently:

1. A notice is written together with its watch's new cursor, over the version of the watch that was read. Of two
concurrent checks, only one succeeds; after a kill before that, the next check finds the same news.
2. If a kill leaves a written notice without a task, the next check finds it open and starts another task. A sender
claims the notice, so that no two send it at once.
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

# The task that sends a notice.
SEND: Final = "send-watch-notice"
# The owner of these tasks: no caller.
_OWNER: Final = "this server"
# After this time, an unsent due notice counts as having lost its task.
_NEGLECTED: Final = 900.0

# The reasons for notices, and what each contains.
_Told = tuple[NoticeOccasion, Sequence[Sequence[NoticeEntry]]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WatchRounds:
    store: WatchStore
    subject_of: Callable[[Watch], WatchSubject]
    clock: Callable[[], float] = time

    async def go(self, tasks: Tasks) -> int:
        """Check every watch, and return the number of notices to send. A failing watch does not stop the others.

        Raises:
            ExceptionGroup: What failed, each with the watch.
        """
        begun, failures = 0, []
        # Watches of resources take longest.
        for watch in sorted(await self.store.everything(), key=lambda one: bool(one.scopes)):
            try:
                begun += await self._look(watch, tasks)
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
        """Start sending notices; feeds need no sending."""
        due = [delivery for delivery in deliveries if delivery.is_open]
        for delivery in due:
            await tasks.begin(SEND, _OWNER, {"notice": delivery.id}, "Sending news of a watch")
        return len(due)

    async def _look(self, watch: Watch, tasks: Tasks) -> int:
        now = self.clock()
        if watch.is_expired(now):
            return 0
        looked, memory, told = await self._looked(watch, now) if now >= watch.due else (watch, None, [])
        if looked.is_to_be_warned(now):
            looked, told = replace(looked, warned=looked.expires), [*told, (NoticeOccasion.EXPIRING, [()])]
        if looked == watch:
            return 0
        deliveries = [one for occasion, parts in told for one in _deliveries(watch, occasion, parts, now)]
        deliveries = [replace(one, id=numbered(watch, watch.notices + n)) for n, one in enumerate(deliveries, 1)]
        looked = replace(looked, notices=watch.notices + len(deliveries))
        await self.store.replace(looked, memory, deliveries)
        return await self.send(deliveries, tasks)

    async def _looked(self, watch: Watch, now: float) -> tuple[Watch, bytes | None, list[_Told]]:
        """The watch after a check, the check's memory, and the news."""
        try:
            findings = await self.subject_of(watch).look(watch, await self.store.memory(watch))
        except WatchFailsError as refused:
            told: list[_Told] = [(NoticeOccasion.TROUBLE, [()])] if watch.trouble != str(refused) else []
            return replace(watch, trouble=str(refused), due=watch.pace.next(now)), None, told
        if findings is None:
            return replace(watch, due=_next(watch, now)), None, []
        looked = replace(watch, cursor=findings.cursor, trouble="", due=_after(watch, findings, now))
        return looked, findings.memory, [(NoticeOccasion.NEWS, parts_of(entries_of(findings.news)))]

    async def _pick_up(self, tasks: Tasks) -> int:
        """Send due notices that nobody is sending."""
        now = self.clock()
        open_ones = await self.store.open_ones()
        return await self.send([one for one in open_ones if max(one.due, one.held) + _NEGLECTED < now], tasks)


def _next(watch: Watch, now: float) -> float:
    """When a watch is checked next. Immediate ones are checked every time, so they need no time."""
    return watch.due if watch.pace is WatchPace.IMMEDIATELY else watch.pace.next(now)


def _after(watch: Watch, findings: WatchFindings, now: float) -> float:
    return _next(watch, now) if findings.is_all else watch.due


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
