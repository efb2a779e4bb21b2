"""Runs the steps of tasks when messages arrive in the queue."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from refusal import Refusal
from tasks.keeping import TaskOvertakenError, TaskStorageUnreachableError, TaskStore
from tasks.sending import NEGLECTED, Sending, TaskMessage
from tasks.task import Task, TaskProgress, TaskState, TooMuchError, bounded
from tasks.tasks import Tasks
from tasks.work import HopelessError, Next, OwnerQuestions, StepDone, StepOutcome, Work, WorkStep

logger = logging.getLogger(__name__)

# The maximum number of attempts for a step, and the delays between them.
MOST_TRIES: Final = 6
PAUSES: Final = (10.0, 60.0, 300.0, 900.0, 3600.0)
SECONDS_OF_A_STEP: Final = 540.0
# The interval at which a step's progress is saved and the task is checked for cancellation.
_SECONDS_BETWEEN_LOOKS: Final = 3.0
_SHARE_TO_KEEP_AN_OUTCOME: Final = 1.1
_MOST_SWEPT: Final = 500
_STOPPED: Final = "In each attempt, the worker of this task stopped without an error message."
_BEGINNING: Final[Mapping[str, Any]] = {"tries": 0, "held": 0.0, "trouble": "", "answers": {}}


@dataclass(frozen=True)
class Worker:
    """Runs the steps of tasks. `seconds` is the time limit of a step."""

    tasks: Tasks
    kinds: Mapping[str, Work]
    seconds: float = SECONDS_OF_A_STEP

    async def do(self, text: str) -> None:
        """Process a message from the task queue.

        Raises:
            UnreadableMessageError: The message contains no task ID.
            Refusal, QueueError: The storage or the queue does not respond, so the queue must redeliver the message.
        """
        message = TaskMessage.read(text)
        task = await self._store.find(message.task)
        if task is None or task.state is not TaskState.WORKING or not task.work:
            return
        # If the message belongs to an earlier step, wait: the worker of that step needs time to send the message for
        # the next step.
        patience = NEGLECTED if message.step != task.step else 0.0
        begins = task.earliest + patience
        if begins > self._now:
            await self._sending.remind_of(task, begins)
            return
        # If another worker has started or finished the step, that worker has its own message, so this message is not
        # needed.
        with suppress(TaskOvertakenError):
            await self._step(task)

    async def sweep(self) -> int:
        """Send lost messages again, and return the number of tasks whose message was lost."""
        sent = 0
        for name in await self._store.open_ones(_MOST_SWEPT):
            task = await self._store.find(name)
            if task is None or not task.is_open:
                await self._store.is_open_no_longer(name)
            elif self._sending.is_neglected(task):
                await self._sending.word_of(task)
                sent += 1
        return sent

    async def failed(self) -> Mapping[str, int]:
        """For each kind of work, the number of failed tasks that have not been deleted yet."""
        ended = await self._store.ended_lately(_MOST_SWEPT)
        return Counter(one["work"] for one in ended if one["state"] == TaskState.FAILED)

    async def forget(self) -> int:
        """Delete the tasks that have expired. Returns their number."""
        over = await self._store.over_before(self._now, _MOST_SWEPT)
        for trace in over:
            await self._store.forget(trace)
        return len(over)

    @property
    def _store(self) -> TaskStore:
        return self.tasks.store

    @property
    def _sending(self) -> Sending:
        return self.tasks.sending

    @property
    def _now(self) -> float:
        return self._sending.clock()

    async def _step(self, task: Task) -> None:
        work = self.kinds.get(task.work)
        if work is None or task.tries >= MOST_TRIES:
            await self._fail(
                task, task.trouble or _STOPPED if work else "This server no longer supports this kind of task."
            )
            return
        now = self._now
        claimed_until = now + _SHARE_TO_KEEP_AN_OUTCOME * self.seconds + 1
        under_way = _RunningStep(
            self._store, await self._store.replace(task.at(now, held=claimed_until, tries=task.tries + 1))
        )
        try:
            outcome = await self._outcome(under_way, work)
        except asyncio.CancelledError:
            # This process is shutting down. Release the task, so that the next worker does not wait until the claim
            # expires.
            await asyncio.shield(self._let_go(under_way.task))
            raise
        except TaskOvertakenError:
            raise
        except Exception as failure:  # noqa: BLE001 - any failure of a step is recorded in the task
            await self._retry_or_fail(under_way.task, failure)
        else:
            await self._record(under_way.task, outcome)

    async def _outcome(self, under_way: _RunningStep, work: Work) -> StepOutcome:
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                return await under_way.outcome(work)
        except TimeoutError as late:
            words = f"The step exceeded the time limit of {self.seconds:g} seconds."
            raise (Refusal(words) if limit.expired() else late) from None

    async def _let_go(self, task: Task) -> None:
        with suppress(Refusal):
            await self._store.replace(task.at(self._now, held=0.0))

    async def _record(self, task: Task, outcome: StepOutcome) -> None:
        try:
            await self._store_outcome(task, outcome)
        except TooMuchError as much:
            await self._fail(task, str(much))

    async def _store_outcome(self, task: Task, outcome: StepOutcome) -> None:
        now = self._now
        match outcome:
            case StepDone(result):
                await self.tasks.complete(task, result)
            case Next(left, after, progress):
                changes = {**_BEGINNING, "left": bounded(left), "progress": progress or task.progress}
                next_step = task.at(now, step=task.step + 1, due=now + after, **changes)
                await self._sending.word_of(await self._store.replace(next_step))
            case OwnerQuestions(questions, left):
                changes = {**_BEGINNING, "left": bounded(left), "questions": bounded(questions)}
                await self._store.replace(task.at(now, step=task.step + 1, state=TaskState.ASKS, **changes))

    async def _retry_or_fail(self, task: Task, failure: Exception) -> None:
        logger.warning("Step %d of task %s (%s) failed", task.step, task.id, task.work, exc_info=failure)
        words = str(failure) if isinstance(failure, Refusal) else f"It failed ({type(failure).__name__})."
        if task.tries >= MOST_TRIES or isinstance(failure, HopelessError):
            await self._fail(task, words)
            return
        due = self._now + PAUSES[task.tries - 1]
        again = task.at(self._now, held=0.0, due=due, trouble=words)
        await self._sending.word_of(await self._store.replace(again))

    async def _fail(self, task: Task, words: str) -> None:
        logger.error("Task %s (%s) failed for good: %s", task.id, task.work, words)
        await self.tasks.fail(task, words)


class _RunningStep:
    """A step that is running. The progress of the step is saved every few seconds. If the task is cancelled, the step
    is stopped.
    """

    def __init__(self, store: TaskStore, task: Task) -> None:
        self.task = task
        self._store = store
        self._unsaved: TaskProgress | None = None

    async def outcome(self, work: Work) -> StepOutcome:
        task = self.task
        step = WorkStep(task.id, task.arguments, task.left, task.answers, task.step, self._report)
        running = asyncio.ensure_future(work.step(step))
        try:
            while not (await asyncio.wait([running], timeout=_SECONDS_BETWEEN_LOOKS))[0]:
                await self._look()
        finally:
            await _stop(running)
        return running.result()

    def _report(self, words: str, done: int, total: int | None) -> None:
        self._unsaved = TaskProgress(done, total, words)

    async def _look(self) -> None:
        progress, self._unsaved = self._unsaved, None
        try:
            if progress is not None:
                self.task = await self._store.replace(self.task.at(self.task.updated, progress=progress))
            elif (now := await self._store.find(self.task.id)) is None or now.version != self.task.version:
                raise TaskOvertakenError("The task was cancelled.")
        except TaskStorageUnreachableError as away:
            logger.warning("The progress of task %s could not be saved: %s", self.task.id, away)


async def _stop(running: asyncio.Future[StepOutcome]) -> None:
    """Cancel a running step, and wait until it has stopped."""
    if not running.done():
        running.cancel()
        await asyncio.wait([running])
