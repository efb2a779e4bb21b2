"""A task: work that outlives its request, with its progress and result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from identity.caller import Caller
from refusal import Refusal

# The maximum size of the arguments, and of what one step passes to the next.
LARGEST_KEPT: Final = 128 * 1024
_LONGEST_WORDS: Final = 500


class TaskState(StrEnum):
    """The task's state, with the names of the protocol."""

    WORKING = "working"
    ASKS = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TooMuchError(Refusal):
    """The task's data is too large."""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress. The total is None if unknown."""

    done: int = 0
    total: int | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One row. It names the file that contains the result."""

    id: str
    # The kind of work, and its readable title.
    work: str
    title: str
    # Only the owner can see the task and act on it.
    owner: str
    arguments: Mapping[str, Any]
    state: TaskState = TaskState.WORKING
    # Data passed on by earlier steps, the number of those steps, and the attempts at the current one.
    left: Mapping[str, Any] = field(default_factory=dict)
    step: int = 0
    tries: int = 0
    progress: TaskProgress = TaskProgress()
    created: float = 0.0
    updated: float = 0.0
    # When the next step is due, and until when a worker has claimed it.
    due: float = 0.0
    held: float = 0.0
    # Questions to the owner, named by the work, and the answers so far.
    questions: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    # Why it is retried or has failed.
    trouble: str = ""
    # The file with the result, and when it expires.
    result: str = ""
    until: float = 0.0
    # The etag of the row as read.
    version: str | None = field(default=None, compare=False)

    @property
    def is_open(self) -> bool:
        return self.state in {TaskState.WORKING, TaskState.ASKS}

    @property
    def earliest(self) -> float:
        """When its next step can begin."""
        return max(self.due, self.held)

    def seconds_until_looked_at(self, now: float) -> float:
        """The polling interval, which grows with the age of the task."""
        return min(max(2.0, (now - self.created) / 4), 30.0)

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> Self:
        told: Mapping[str, Any] = from_json(content)
        state, progress = TaskState(told["state"]), TaskProgress(**told["progress"])
        return cls(**{**told, "state": state, "progress": progress, "version": version})

    @property
    def in_short(self) -> Mapping[str, str]:
        """The summary of an ended task, available without reading the task."""
        return {"work": self.work, "state": self.state}

    def at(self, now: float, **changes: Any) -> Self:
        """The task after a change."""
        return replace(self, updated=now, **changes)

    def ended(self, state: TaskState, now: float, keep: float, *, result: str = "", trouble: str = "") -> Self:
        gone = {"left": {}, "questions": {}, "answers": {}, "held": 0.0}
        trouble = trouble[:_LONGEST_WORDS]
        return self.at(now, state=state, result=result, trouble=trouble, until=now + keep, **gone)


def owner_of(caller: Caller) -> str:
    """The owner id of a caller. It is the same for every client of a person."""
    return sha256(to_json(caller.person)).hexdigest()[:32]


def bounded(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check that the values fit into a task's row.

    Raises:
        TooMuchError: They are too large.
    """
    if len(to_json(values)) > LARGEST_KEPT:
        raise TooMuchError(f"The input of a task can have at most {LARGEST_KEPT // 1024} KiB.")
    return dict(values)
