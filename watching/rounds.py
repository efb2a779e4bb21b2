"""Looking at all watches, as a timer does it: what is new becomes notices, which the queue of long work sends.

Why it may be killed at any point, and run twice at once:

1. A notice is written together with how far its watch was looked at, over the version of the watch that was read. Of
   two who look at once, one alone succeeds; after a kill before that, the next look finds the same news.
2. A notice that is written and has no task, because of a kill between the two, is found open by the next look, which
   begins another task. Whoever sends holds the notice, so that no two send it at once.
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

# The kind of work that sends a notice.
SEND: Final = "send-watch-notice"
# Whose tasks these are: no caller's.
_OWNER: Final = "this server"
# For so long nobody sends what was due: its task was lost.
_NEGLECTED: Final = 900.0

# Why there are notices, and what each of them tells.
_Told = tuple[NoticeOccasion, Sequence[Sequence[NoticeEntry]]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WatchRounds:
    store: WatchStore
    subject_of: Callable[[Watch], WatchSubject]
    clock: Callable[[], float] = time

    async def go(self, tasks: Tasks) -> int:
        """Look at every watch, and tell how many notices there are to send. One watch that fails stops no other.

        Raises:
            ExceptionGroup: What failed, each with the watch.
        """
        begun, failures = 0, []
        # Those of resources take longest.
        for watch in sorted(await self.store.everything(), key=lambda one: bool(one.scopes)):
            try:
                begun += await self._look(watch, tasks)
            except WatchOvertakenError:
                logger.info("Watch %s is looked at by somebody else", watch.id)
            except Exception as failure:  # noqa: BLE001 - raised again when all were looked at
                failure.add_note(f"in the watch {watch.id}")
                failures.append(failure)
        begun += await self._pick_up(tasks)
        if failures:
            raise ExceptionGroup("Some watches could not be looked at, and are looked at again", failures)
        return begun

    async def send(self, deliveries: Sequence[WatchDelivery], tasks: Tasks) -> int:
        """Begin to send notices; those of feeds are where they belong."""
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
        """The watch after a look, what the look left, and what is to be told."""
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
        """Send what nobody sends although it is due."""
        now = self.clock()
        open_ones = await self.store.open_ones()
        return await self.send([one for one in open_ones if max(one.due, one.held) + _NEGLECTED < now], tasks)


def _next(watch: Watch, now: float) -> float:
    """When a watch is looked at next. What is sent immediately is looked at each time, which needs no note."""
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
