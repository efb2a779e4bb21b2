"""Sends messages about due tasks through a queue, which delivers each at least once."""

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

# A task overdue by this time has lost its message.
NEGLECTED: Final = 60.0
# Messages can be delayed by at most seven days. An earlier message finds the task not due yet and is sent again.
LONGEST_PAUSE: Final = 6 * 86400.0


class UnreadableMessageError(Exception):
    """The message names no task. The queue sets it aside after a few tries."""


@dataclass(frozen=True, slots=True)
class TaskMessage:
    """The task, and its step that was due when the message was sent."""

    task: str
    step: int

    @property
    def text(self) -> str:
        return to_json({"task": self.task, "step": self.step}).decode()

    @classmethod
    def read(cls, text: str) -> TaskMessage:
        try:
            told = from_json(text)
            return cls(str(told["task"]), int(told["step"]))
        except (ValueError, KeyError, TypeError, OverflowError):
            raise UnreadableMessageError("A message in the queue of tasks is of no task.") from None


@dataclass(frozen=True)
class Sending:
    queue: Queue
    clock: Callable[[], float] = time

    async def word_of(self, task: Task) -> Task:
        """Send a message about the next step. If the queue is down, the next reader of the task sends it."""
        try:
            await self.remind_of(task, task.due)
        except QueueError as away:
            logger.warning("Task %s waits for the queue: %s", task.id, away)
        return task

    async def remind_of(self, task: Task, moment: float) -> None:
        """Send a message that arrives at a given time.

        Raises:
            QueueError: The queue is down.
        """
        pause = min(max(moment - self.clock(), 0.0), LONGEST_PAUSE)
        await self.queue.send(TaskMessage(task.id, task.step).text, pause)

    def is_neglected(self, task: Task) -> bool:
        """Whether the task is long overdue and nobody is working on it."""
        is_queued = task.state is TaskState.WORKING and bool(task.work)
        return is_queued and self.clock() > task.earliest + NEGLECTED
