"""Sends messages about due tasks to a queue. The queue delivers each message at least once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Final

from pydantic_core import from_json, to_json

from clients.queues import Queue, QueueError
from tasks.task import Task, TaskState

logger = logging.getLogger(__name__)

# If a task is overdue by this many seconds, its message is considered lost.
NEGLECTED: Final = 60.0
# The maximum delay of a message in the queue is seven days. If a message arrives before the task is due, another
# message is sent.
LONGEST_PAUSE: Final = 6 * 86400.0


class UnreadableMessageError(Exception):
    """The message contains no task ID. After a few attempts, the queue moves such a message to the poison queue."""


@dataclass(frozen=True, slots=True)
class TaskMessage:
    """A message: the task, and the number of the step that was due when the message was sent."""

    task: str
    step: int

    @property
    def text(self) -> str:
        return to_json({"task": self.task, "step": self.step}).decode()

    @classmethod
    def read(cls, text: str) -> TaskMessage:
        try:
            message = from_json(text)
            return cls(str(message["task"]), int(message["step"]))
        except (ValueError, KeyError, TypeError, OverflowError):
            raise UnreadableMessageError("A message in the task queue contains no task ID.") from None


@dataclass(frozen=True)
class Sending:
    queue: Queue
    clock: Callable[[], float] = time

    async def word_of(self, task: Task) -> Task:
        """Send a message that tells a worker that the next step of a task is due.

        If the queue does not accept the message, the next process that reads the task sends it.
        """
        try:
            await self.remind_of(task, task.due)
        except QueueError as away:
            logger.warning("Task %s waits for the queue: %s", task.id, away)
        return task

    async def remind_of(self, task: Task, moment: float) -> None:
        """Send a message about the task, to be delivered at the given time.

        Raises:
            QueueError: The queue does not accept messages.
        """
        pause = min(max(moment - self.clock(), 0.0), LONGEST_PAUSE)
        await self.queue.send(TaskMessage(task.id, task.step).text, pause)

    def is_neglected(self, task: Task) -> bool:
        """Whether the task's message was probably lost: the task is overdue, and no worker has claimed it."""
        is_queued = task.state is TaskState.WORKING and bool(task.work)
        return is_queued and self.clock() > task.earliest + NEGLECTED
