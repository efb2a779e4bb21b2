"""Work that outlives requests, as the settings have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from clients.queues import Queue
from clients.storage import Storage
from settings import Settings
from tasks.here import QueueHere
from tasks.keeping import TaskStore
from tasks.sending import Sending
from tasks.tasks import Tasks
from tasks.worker import Worker
from tools.provider import Providers

_SECONDS_OF_AN_HOUR: Final = 3600.0


def worker_of(settings: Settings, providers: Providers, storage: Callable[[], Storage], queue: Queue | None) -> Worker:
    """Who does the work. Without a queue of Azure, as on a laptop, this process brings itself the messages."""
    kinds = providers.works()
    keep = settings.tasks.hours_kept * _SECONDS_OF_AN_HOUR
    sending = Sending(queue or QueueHere(lambda: worker.do))
    worker = Worker(Tasks(TaskStore(storage), sending, kinds, keep), kinds, settings.tasks.step_seconds)
    return worker
