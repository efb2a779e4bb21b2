"""Configures the worker for tasks that outlive the request that started them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from clients.kept import Kept
from clients.queues import Queue, QueueError
from clients.storage import Storage
from refusal import Refusal
from settings import Settings
from tasks.in_process_queue import QueueHere
from tasks.keeping import TaskStore
from tasks.sending import Sending
from tasks.tasks import Tasks
from tasks.work import Work
from tasks.worker import Worker
from tools.provider import Providers

_SECONDS_OF_AN_HOUR: Final = 3600.0
_SECONDS_HEALTH_IS_KEPT: Final = 60.0
_SECONDS_TO_LOOK: Final = 5.0
_AWAY: Final = "The storage of tasks is not responding."


class HealthOfTasks:
    """The health of the task queue. Anyone may request the health report, so the queue is checked at most once a
    minute.
    """

    def __init__(self, worker: Worker, set_aside: Queue | None) -> None:
        self._worker = worker
        # The queue where Azure puts messages that could not be processed.
        self._set_aside = set_aside
        self._kept = Kept()
        self._looking = asyncio.Lock()

    async def report(self) -> Mapping[str, object]:
        async with self._looking:
            return await self._kept.get("health", self._look, at_most=_SECONDS_HEALTH_IS_KEPT)

    async def close(self) -> None:
        if self._set_aside:
            await self._set_aside.close()

    async def _look(self) -> Mapping[str, object]:
        try:
            async with asyncio.timeout(_SECONDS_TO_LOOK):
                return await self._counts()
        except (QueueError, Refusal, TimeoutError):
            return {"status": "unavailable", "advice": _AWAY}

    async def _counts(self) -> Mapping[str, object]:
        failed = await self._worker.failed()
        waiting = await self._worker.tasks.sending.queue.waiting()
        set_aside = await self._set_aside.waiting() if self._set_aside else 0
        status = "failing" if failed or set_aside else "ok"
        return {"status": status, "waiting": waiting, "failed": dict(failed), "setAside": set_aside}


def worker_of(
    settings: Settings,
    providers: Providers,
    storage: Callable[[], Storage],
    queue: Queue | None,
    further: Mapping[str, Work],
) -> Worker:
    """Build the worker for all kinds of tasks. If there is no Azure queue, this process delivers the messages."""
    kinds = {**providers.works(), **further}
    keep = settings.tasks.hours_kept * _SECONDS_OF_AN_HOUR
    sending = Sending(queue or QueueHere(lambda: worker.do))
    worker = Worker(Tasks(TaskStore(storage), sending, kinds, keep), kinds, settings.tasks.step_seconds)
    return worker
