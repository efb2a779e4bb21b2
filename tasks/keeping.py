"""Stores tasks.

A task has a row, an index row for its owner, another index row while the task is open, and a file for its result. Each
step overwrites only the version of the row that it read, so only one of two concurrent steps succeeds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from secrets import token_urlsafe
from typing import Final, TypeVar

from pydantic_core import from_json, to_json

from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal
from tasks.task import Task

V = TypeVar("V")

_PARTITION: Final = "tasks"
_TASK, _OWNED, _OPEN, _ENDED = "task-", "owned-", "open-", "ended-"
# IDs start with a countdown in milliseconds, so that the newest task sorts first.
_END_OF_TIME: Final = 10**13
_AWAY: Final = "Tasks cannot be stored, because the storage is not responding. Try again."


class TaskStorageUnreachableError(Refusal):
    """The storage of tasks is not responding. Tasks that are already stored are not lost."""


class TaskOvertakenError(Refusal):
    """The task has changed since it was read, because another process wrote it."""


@dataclass
class TaskStore:
    """Stores tasks in a table and their results in files. `storage` is opened on first use."""

    storage: Callable[[], Storage]
    _opened: Storage | None = field(default=None, init=False)
    _is_prepared: bool = field(default=False, init=False)

    def new_id(self, now: float) -> str:
        """Generate an ID that cannot be guessed. IDs of newer tasks sort first."""
        return f"{_END_OF_TIME - int(now * 1000):013}-{token_urlsafe(18)}"

    async def add(self, task: Task) -> Task:
        storage = self._open_storage()
        if not self._is_prepared:
            await _or_unreachable(storage.prepare())
            self._is_prepared = True
        found_by = [Row(_owner_key(task), b""), Row(_OPEN + task.id, b""), *([_trace(task)] if task.until else [])]
        written = await _or_unreachable(storage.put_rows(_PARTITION, Row(_TASK + task.id, task.content), found_by))
        return replace(task, version=written.version)

    async def find(self, name: str) -> Task | None:
        if not is_id(name):
            return None
        rows = await _or_unreachable(self._open_storage().read_rows(_PARTITION, [_TASK + name]))
        return Task.read(rows[0].content, rows[0].version) if rows else None

    async def replace(self, task: Task) -> Task:
        """Replace a stored task. Raise TaskOvertakenError if the task changed since it was read."""
        found_by = [] if task.is_open else [_trace(task)]
        guard = Row(_TASK + task.id, task.content, task.version)
        try:
            written = await _or_unreachable(self._open_storage().put_rows(_PARTITION, guard, found_by))
        except ConflictError:
            raise TaskOvertakenError("This task changed at the same moment. Check it again.") from None
        if not task.is_open:
            # The index row may remain, because searches for open tasks also check the state in the task's row.
            with suppress(StorageError):
                await self._open_storage().remove_row(_PARTITION, _OPEN + task.id)
        return replace(task, version=written.version)

    async def of_owner(self, owner: str, limit: int, after: str = "") -> list[str]:
        """The IDs of an owner's tasks, newest first."""
        beginning = f"{_OWNED}{owner}-"
        rows = await _or_unreachable(
            self._open_storage().scan(_PARTITION, beginning, limit, after and beginning + after)
        )
        return [row.key.removeprefix(beginning) for row in rows]

    async def open_ones(self, limit: int, after: str = "") -> list[str]:
        rows = await _or_unreachable(self._open_storage().scan(_PARTITION, _OPEN, limit, after and _OPEN + after))
        return [row.key.removeprefix(_OPEN) for row in rows]

    async def is_open_no_longer(self, name: str) -> None:
        await _or_unreachable(self._open_storage().remove_row(_PARTITION, _OPEN + name))

    async def over_before(self, time: float, limit: int) -> list[str]:
        """The keys of the expiry rows that belong to expired tasks."""
        rows = await _or_unreachable(self._open_storage().scan(_PARTITION, _ENDED, limit))
        traces = [row.key.removeprefix(_ENDED) for row in rows]
        return [trace for trace in traces if int(trace.partition("-")[0]) < time]

    async def ended_lately(self, limit: int) -> list[Mapping[str, str]]:
        """Return summaries of the tasks that have ended and are not deleted yet."""
        rows = await _or_unreachable(self._open_storage().scan(_PARTITION, _ENDED, limit))
        return [from_json(row.content) for row in rows]

    async def keep_result(self, name: str, content: bytes) -> None:
        """Store the result of a step. If an earlier run of the same step already stored a result, keep the earlier
        result.
        """
        with suppress(ConflictError):
            await _or_unreachable(self._open_storage().create_file(name, content))

    async def result(self, name: str) -> bytes | None:
        file = await _or_unreachable(self._open_storage().read_file(name))
        return file.content if file else None

    async def forget(self, trace: str) -> None:
        """Delete an expired task: its result, its rows, and finally the expiry row with this key."""
        storage, (until, _, name) = self._open_storage(), trace.partition("-")
        # If a task follows work in another service, the task can end after its first expiry. The task then has a second
        # expiry row. Only the second expiry row leads to the deletion of the task.
        if (task := await self.find(name)) and int(task.until) <= int(until):
            if task.result:
                await _or_unreachable(storage.remove_file(task.result))
            await _or_unreachable(storage.remove_row(_PARTITION, _owner_key(task)))
            await _or_unreachable(storage.remove_row(_PARTITION, _TASK + name))
        # Delete the expiry row last. If the deletion is interrupted, the next run finds the task again.
        await _or_unreachable(storage.remove_row(_PARTITION, _ENDED + trace))

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    def _open_storage(self) -> Storage:
        if self._opened is None:
            self._opened = self.storage()
        return self._opened


def is_id(text: str) -> bool:
    return 20 < len(text) < 60 and text.isascii() and all(letter.isalnum() or letter in "-_" for letter in text)


def _owner_key(task: Task) -> str:
    return f"{_OWNED}{task.owner}-{task.id}"


def _trace(task: Task) -> Row:
    """The expiry row of a task, which is used to find the task after it has expired."""
    return Row(f"{_ENDED}{int(task.until):011}-{task.id}", to_json(task.in_short))


async def _or_unreachable(reading: Awaitable[V]) -> V:
    try:
        return await reading
    except ConflictError:
        raise
    except StorageError:
        raise TaskStorageUnreachableError(_AWAY) from None
