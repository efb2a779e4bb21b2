"""The owner's operations on tasks: begin, look up, answer, cancel.

The process can be killed at any point without losing a task:

1. A task is stored before its message is sent, and the message is sent before the owner gets a response. The message
  only shows that the task is due. The work to do is in the row of the task.
2. A worker claims the row for the maximum duration of a step. The worker can overwrite only the version of the row that
  it claimed, so a worker that was presumed dead cannot overwrite its successor's work.
3. The result of a step is stored before the next message is sent. If the worker is killed in between, the queue
  redelivers the current message, which was not completed. Another worker then finds that the next step is due.
4. If a message is lost or was not sent, a timer or the next process that reads the task sends a new message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic_core import from_json, to_json

from refusal import Refusal
from tasks.keeping import TaskOvertakenError, TaskStore
from tasks.sending import Sending
from tasks.task import Task, TaskProgress, TaskState, TooMuchError, bounded

SECONDS_KEPT: Final = 86400.0
SECONDS_FOLLOWED: Final = 7 * 86400.0
LARGEST_RESULT: Final = 4 * 1024 * 1024
_MOST_LISTED: Final = 100
_LONGEST_WORDS: Final = 2000
_LONGEST_PAUSE: Final = 3600.0
_GONE: Final = "You have no such task, or it has expired."


@dataclass(frozen=True)
class Tasks:
    """Begins, finds, answers and cancels tasks.

    `kinds` are the available kinds of work. Results are stored for `keep` seconds.
    """

    store: TaskStore
    sending: Sending
    kinds: Collection[str] = field(default=())
    keep: float = SECONDS_KEPT

    async def begin(
        self, work: str, owner: str, arguments: Mapping[str, Any], title: str, *, after: float = 0.0
    ) -> Task:
        """Start a task, now or after a delay. The task runs even if no client waits for it.

        Raises:
            Refusal: The task cannot be stored, so it was not started.
        """
        if work not in self.kinds:
            raise LookupError(f"Unknown work {work!r}")
        new = Task(id="", work=work, title=title, owner=owner, arguments=arguments)
        return await self.sending.word_of(await self._add(new, after))

    async def follow(self, owner: str, look: Mapping[str, Any], title: str, words: str = "") -> Task:
        """Create a task that follows work in another service. `look` is the tool call that returns the progress of this
        work.
        """
        progress = TaskProgress(words=words[:_LONGEST_WORDS])
        return await self._add(Task(id="", work="", title=title, owner=owner, arguments=look, progress=progress))

    async def hold(self, task: Task, seconds: float) -> Task | None:
        """Claim, for `seconds`, a task that follows other work. Return None if another process has claimed it."""
        if task.held > self._now:
            return None
        with suppress(TaskOvertakenError):
            return await self.store.replace(task.at(self._now, held=self._now + seconds, tries=task.tries + 1))
        return None

    async def let_go(self, task: Task, words: str, look: Mapping[str, Any]) -> Task:
        """Release the claim on a task that follows other work.

        Store `words`, which describe the progress of the task, and `look`, the next call that returns the progress.
        """
        progress = TaskProgress(words=words[:_LONGEST_WORDS])
        return await self.store.replace(task.at(self._now, held=0.0, progress=progress, arguments=look))

    def pause(self, task: Task) -> float:
        """Return the number of seconds after which the client should poll again."""
        return max(task.seconds_until_looked_at(self._now), min(task.due - self._now, _LONGEST_PAUSE))

    async def of(self, owner: str, name: str) -> Task:
        """Find a task of this owner. If the task's message was lost, send another message.

        Raises:
            Refusal: The owner does not have this task.
        """
        task = await self.store.find(name)
        if task is None or task.owner != owner:
            raise Refusal(_GONE)
        return await self.sending.word_of(task) if self.sending.is_neglected(task) else task

    async def all_of(self, owner: str, limit: int = _MOST_LISTED, after: str = "") -> list[Task]:
        """The stored tasks of the owner, newest first."""
        names = await self.store.of_owner(owner, limit, after)
        found = await asyncio.gather(*(self.store.find(name) for name in names))
        return [task for task in found if task is not None]

    async def result(self, task: Task) -> Any:
        """Read the result of a completed task.

        Raises:
            Refusal: The result has expired.
        """
        content = await self.store.result(task.result) if task.result else None
        if content is None:
            raise Refusal(_GONE)
        return from_json(content)

    async def cancel(self, task: Task) -> Task:
        """Cancel a task that has not ended. A step that is running is stopped within seconds."""
        while task.is_open:
            with suppress(TaskOvertakenError):
                return await self.store.replace(task.ended(TaskState.CANCELLED, self._now, self.keep))
            task = await self.of(task.owner, task.id)
        return task

    async def answer(self, task: Task, answers: Mapping[str, Any]) -> Task:
        """Store the owner's answers. The task continues once all its questions are answered."""
        while task.state is TaskState.ASKS:
            with suppress(TaskOvertakenError):
                return await self._store_answers(task, answers)
            task = await self.of(task.owner, task.id)
        return task

    async def complete(self, task: Task, result: Mapping[str, Any]) -> Task:
        """Complete a task with its result.

        Raises:
            TaskOvertakenError: The task has changed since it was read.
            TooMuchError: The result is too large.
        """
        return await self._end(task, TaskState.COMPLETED, result)

    async def refuse(self, task: Task, words: str, result: Mapping[str, Any]) -> Task:
        """Fail a task that follows other work, because its call returned an error. `result` is the error response."""
        return await self._end(task, TaskState.FAILED, result, words)

    async def fail(self, task: Task, words: str) -> Task:
        return await self.store.replace(task.ended(TaskState.FAILED, self._now, self.keep, trouble=words))

    async def close(self) -> None:
        await self.sending.queue.close()
        await self.store.close()

    async def _end(self, task: Task, state: TaskState, result: Mapping[str, Any], words: str = "") -> Task:
        content = to_json(result, inf_nan_mode="null")
        if len(content) > LARGEST_RESULT:
            raise TooMuchError(f"The result is {len(content)} bytes long; at most {LARGEST_RESULT} can be stored.")
        name = f"{task.id}-{task.step}-{task.tries}"
        await self.store.keep_result(name, content)
        return await self.store.replace(task.ended(state, self._now, self.keep, result=name, trouble=words))

    @property
    def _now(self) -> float:
        return self.sending.clock()

    async def _add(self, task: Task, after: float = 0.0) -> Task:
        now = self._now
        # A task that follows other work requires an expiry from the start, because the client may never request the
        # task again.
        until = 0.0 if task.work else now + SECONDS_FOLLOWED
        arguments = bounded(task.arguments)
        name, due = self.store.new_id(now), now + after
        new = replace(task, id=name, arguments=arguments, created=now, updated=now, due=due, until=until)
        return await self.store.add(new)

    async def _store_answers(self, task: Task, answers: Mapping[str, Any]) -> Task:
        accepted = {name: answer for name, answer in answers.items() if name in task.questions}
        questions = {name: question for name, question in task.questions.items() if name not in accepted}
        all_answers = bounded({**task.answers, **accepted})
        state = TaskState.ASKS if questions else TaskState.WORKING
        new = await self.store.replace(
            task.at(self._now, answers=all_answers, questions=questions, state=state, due=self._now)
        )
        return new if questions else await self.sending.word_of(new)
