"""Tasks as their owners have them: begun, looked at, answered, cancelled.

Why everything may be killed at any point:

1. A task is a row before it is a message, and a message before its owner is answered. A message says no more than
   that it is worth looking at the task; the row alone tells what is to be done.
2. Whoever does a step holds the row for as long as a step may take. Whatever they write is written over the version
   that they hold, so nobody who was thought to be dead can write into the work of the next one.
3. A step that ended is in the row before word of the next one is sent. Killed between the two, the message of the
   step before comes back, because nobody was done with it, and the next step is found to be due.
4. A message that could not be sent, or was lost, is sent again by whoever looks at the task, and by a timer.
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
    """`kinds` are the names of the work that can be begun; what came of a task is kept for `keep` seconds."""

    store: TaskStore
    sending: Sending
    kinds: Collection[str] = field(default=())
    keep: float = SECONDS_KEPT

    async def begin(
        self, work: str, owner: str, arguments: Mapping[str, Any], title: str, *, after: float = 0.0
    ) -> Task:
        """Begin some work, now or after a pause; from here on it is done even if nobody waits for it.

        Raises:
            Refusal: It cannot be kept; nothing was begun.
        """
        if work not in self.kinds:
            raise LookupError(f"Unknown work {work!r}")
        new = Task(id="", work=work, title=title, owner=owner, arguments=arguments)
        return await self.sending.word_of(await self._added(new, after))

    async def follow(self, owner: str, look: Mapping[str, Any], title: str, words: str = "") -> Task:
        """Keep what goes on elsewhere; `look` is the call by which its owner finds out how far it is."""
        progress = TaskProgress(words=words[:_LONGEST_WORDS])
        return await self._added(Task(id="", work="", title=title, owner=owner, arguments=look, progress=progress))

    async def hold(self, task: Task, seconds: float) -> Task | None:
        """Have a task that is followed to oneself, unless somebody else has it at this moment."""
        if task.held > self._now:
            return None
        with suppress(TaskOvertakenError):
            return await self.store.replace(task.at(self._now, held=self._now + seconds, tries=task.tries + 1))
        return None

    async def let_go(self, task: Task, words: str, look: Mapping[str, Any]) -> Task:
        """Leave a task that was held to the next `look`; `words` say how far it is."""
        progress = TaskProgress(words=words[:_LONGEST_WORDS])
        return await self.store.replace(task.at(self._now, held=0.0, progress=progress, arguments=look))

    def pause(self, task: Task) -> float:
        """After how many seconds it is worth looking at it again."""
        return max(task.seconds_until_looked_at(self._now), min(task.due - self._now, _LONGEST_PAUSE))

    async def of(self, owner: str, name: str) -> Task:
        """A task of this owner; one that was forgotten goes on.

        Raises:
            Refusal: They have no such task.
        """
        task = await self.store.find(name)
        if task is None or task.owner != owner:
            raise Refusal(_GONE)
        return await self.sending.word_of(task) if self.sending.is_neglected(task) else task

    async def all_of(self, owner: str, limit: int = _MOST_LISTED, after: str = "") -> list[Task]:
        """The tasks of this owner that are kept, newest first."""
        names = await self.store.of_owner(owner, limit, after)
        found = await asyncio.gather(*(self.store.find(name) for name in names))
        return [task for task in found if task is not None]

    async def result(self, task: Task) -> Any:
        """What came of a task that is completed.

        Raises:
            Refusal: It is gone.
        """
        content = await self.store.result(task.result) if task.result else None
        if content is None:
            raise Refusal(_GONE)
        return from_json(content)

    async def cancel(self, task: Task) -> Task:
        """End a task; one that has ended stays as it is. Whoever does a step of it at this moment is stopped soon."""
        while task.is_open:
            with suppress(TaskOvertakenError):
                return await self.store.replace(task.ended(TaskState.CANCELLED, self._now, self.keep))
            task = await self.of(task.owner, task.id)
        return task

    async def answer(self, task: Task, answers: Mapping[str, Any]) -> Task:
        """Take what the owner answers to what was asked; when nothing is left to answer, it goes on."""
        while task.state is TaskState.ASKS:
            with suppress(TaskOvertakenError):
                return await self._answered(task, answers)
            task = await self.of(task.owner, task.id)
        return task

    async def complete(self, task: Task, result: Mapping[str, Any]) -> Task:
        """Keep what came of a task.

        Raises:
            OvertakenError: Something else happened to it meanwhile.
            TooMuchError: It is too large to be kept.
        """
        return await self._ended(task, TaskState.COMPLETED, result)

    async def refuse(self, task: Task, words: str, result: Mapping[str, Any]) -> Task:
        """Keep that what was followed was refused, and the answer that says so."""
        return await self._ended(task, TaskState.FAILED, result, words)

    async def fail(self, task: Task, words: str) -> Task:
        return await self.store.replace(task.ended(TaskState.FAILED, self._now, self.keep, trouble=words))

    async def close(self) -> None:
        await self.sending.queue.close()
        await self.store.close()

    async def _ended(self, task: Task, state: TaskState, result: Mapping[str, Any], words: str = "") -> Task:
        content = to_json(result, inf_nan_mode="null")
        if len(content) > LARGEST_RESULT:
            raise TooMuchError(f"The result has {len(content)} bytes; at most {LARGEST_RESULT} can be stored.")
        name = f"{task.id}-{task.step}-{task.tries}"
        await self.store.keep_result(name, content)
        return await self.store.replace(task.ended(state, self._now, self.keep, result=name, trouble=words))

    @property
    def _now(self) -> float:
        return self.sending.clock()

    async def _added(self, task: Task, after: float = 0.0) -> Task:
        now = self._now
        # Whoever follows something may never look at it again, so nothing else ends it.
        until = 0.0 if task.work else now + SECONDS_FOLLOWED
        arguments = bounded(task.arguments)
        name, due = self.store.new_id(now), now + after
        new = replace(task, id=name, arguments=arguments, created=now, updated=now, due=due, until=until)
        return await self.store.add(new)

    async def _answered(self, task: Task, answers: Mapping[str, Any]) -> Task:
        taken = {name: answer for name, answer in answers.items() if name in task.questions}
        left = {name: question for name, question in task.questions.items() if name not in taken}
        given = bounded({**task.answers, **taken})
        state = TaskState.ASKS if left else TaskState.WORKING
        new = await self.store.replace(task.at(self._now, answers=given, questions=left, state=state, due=self._now))
        return new if left else await self.sending.word_of(new)
