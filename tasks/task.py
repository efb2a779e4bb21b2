"""A task: work that outlives the request that began it; how far it is, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from identity.caller import Caller
from refusal import Refusal

# Of what a task is begun with, and of what one step leaves for the next.
LARGEST_KEPT: Final = 128 * 1024
_LONGEST_WORDS: Final = 500


class TaskState(StrEnum):
    """How it stands, by the names that the protocol has for that."""

    WORKING = "working"
    ASKS = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TooMuchError(Refusal):
    """A task cannot keep as much."""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """How far it is. Without a total nobody knows how much there is."""

    done: int = 0
    total: int | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One row. What came of it is in a file, which the row names."""

    id: str
    # The kind of work, and what it is done for in words that a person reads.
    work: str
    title: str
    # Who alone may see it and act on it.
    owner: str
    arguments: Mapping[str, Any]
    state: TaskState = TaskState.WORKING
    # What the steps before left for the next one, how many there were, and how often this one was begun.
    left: Mapping[str, Any] = field(default_factory=dict)
    step: int = 0
    tries: int = 0
    progress: TaskProgress = TaskProgress()
    created: float = 0.0
    updated: float = 0.0
    # When the next step is to begin, and until when somebody does it; whoever stopped does so no longer.
    due: float = 0.0
    held: float = 0.0
    # What the owner is asked, by names of the work's own, and what they have answered.
    questions: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    # Why it is tried again or has failed, in words.
    trouble: str = ""
    # The file of its result, and until when that is kept.
    result: str = ""
    until: float = 0.0
    # The tag of the row as it was read.
    version: str | None = field(default=None, compare=False)

    @property
    def is_open(self) -> bool:
        return self.state in {TaskState.WORKING, TaskState.ASKS}

    @property
    def earliest(self) -> float:
        """From when on somebody may begin its next step."""
        return max(self.due, self.held)

    def seconds_until_looked_at(self, now: float) -> float:
        """After how long it is worth looking at it again: the older it is, the longer."""
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
        """What is told of it when it is over, without reading it."""
        return {"work": self.work, "state": self.state}

    def at(self, now: float, **changes: Any) -> Self:
        """It as it is after something happened to it."""
        return replace(self, updated=now, **changes)

    def ended(self, state: TaskState, now: float, keep: float, *, result: str = "", trouble: str = "") -> Self:
        gone = {"left": {}, "questions": {}, "answers": {}, "held": 0.0}
        trouble = trouble[:_LONGEST_WORDS]
        return self.at(now, state=state, result=result, trouble=trouble, until=now + keep, **gone)


def owner_of(caller: Caller) -> str:
    """A caller, as a task keeps them: the same person by another client is the same owner."""
    return sha256(to_json(caller.person)).hexdigest()[:32]


def bounded(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a task may keep in its row.

    Raises:
        TooMuchError: It is too large.
    """
    if len(to_json(values)) > LARGEST_KEPT:
        raise TooMuchError(f"The input of a task can have at most {LARGEST_KEPT // 1024} KiB.")
    return dict(values)
