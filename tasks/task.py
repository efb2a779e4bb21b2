"""A task is work that outlives the request that started it. A task has a state, progress and a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from identity.caller import Caller
from refusal import Refusal

# The maximum size of the arguments of a task, and of the data that one step passes to the next.
LARGEST_KEPT: Final = 128 * 1024
_LONGEST_WORDS: Final = 500


class TaskState(StrEnum):
    """The state of a task, as named in the MCP specification."""

    WORKING = "working"
    ASKS = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TooMuchError(Refusal):
    """The arguments or data of a task are too large to store."""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a task. `total` is None if unknown."""

    done: int = 0
    total: int | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as stored in its row. The result is in a separate file, whose name is in the row."""

    id: str
    # The kind of the task's work, and a readable title.
    work: str
    title: str
    # Only the owner can see the task, answer its questions and cancel it.
    owner: str
    arguments: Mapping[str, Any]
    state: TaskState = TaskState.WORKING
    # The data from earlier steps, the number of completed steps, and the number of attempts to run the current step.
    left: Mapping[str, Any] = field(default_factory=dict)
    step: int = 0
    tries: int = 0
    progress: TaskProgress = TaskProgress()
    created: float = 0.0
    updated: float = 0.0
    # The time when the next step is due, and the time until which a worker has claimed the task.
    due: float = 0.0
    held: float = 0.0
    # The questions for the owner, and the answers so far. The step names each question.
    questions: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    # The reason why a step is retried, or why the task has failed.
    trouble: str = ""
    # The name of the file with the result, and the time when the task expires.
    result: str = ""
    until: float = 0.0
    # The ETag of the row when it was read.
    version: str | None = field(default=None, compare=False)

    @property
    def is_open(self) -> bool:
        return self.state in {TaskState.WORKING, TaskState.ASKS}

    @property
    def earliest(self) -> float:
        """The earliest time when the next step can start."""
        return max(self.due, self.held)

    def seconds_until_looked_at(self, now: float) -> float:
        """The seconds until a client should ask again. The interval grows with the age of the task."""
        return min(max(2.0, (now - self.created) / 4), 30.0)

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> Self:
        stored: Mapping[str, Any] = from_json(content)
        state, progress = TaskState(stored["state"]), TaskProgress(**stored["progress"])
        return cls(**{**stored, "state": state, "progress": progress, "version": version})

    @property
    def in_short(self) -> Mapping[str, str]:
        """The data about an ended task that is stored in the task's expiry row."""
        return {"work": self.work, "state": self.state}

    def at(self, now: float, **changes: Any) -> Self:
        """Return a changed copy of the task with a new update time."""
        return replace(self, updated=now, **changes)

    def ended(self, state: TaskState, now: float, keep: float, *, result: str = "", trouble: str = "") -> Self:
        cleared = {"left": {}, "questions": {}, "answers": {}, "held": 0.0}
        trouble = trouble[:_LONGEST_WORDS]
        return self.at(now, state=state, result=result, trouble=trouble, until=now + keep, **cleared)


def owner_of(caller: Caller) -> str:
    """The owner ID of a caller. The ID of a person does not depend on the client."""
    return sha256(to_json(caller.person)).hexdigest()[:32]


def bounded(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check that values are small enough for the row of a task.

    Raises:
        TooMuchError: The values are too large.
    """
    if len(to_json(values)) > LARGEST_KEPT:
        raise TooMuchError(f"The input of a task must not exceed {LARGEST_KEPT // 1024} KiB.")
    return dict(values)
