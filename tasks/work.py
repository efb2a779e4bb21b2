"""Kinds of work. Work consists of steps, and a step may run again, because its worker may be stopped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refusal import Refusal
from tasks.task import TaskProgress

# Reports progress: what is being done, how much is done, and the total if known.
Tell = Callable[[str, int, int | None], None]


class HopelessError(Refusal):
    """The work cannot succeed, so it is not retried. After any other exception, the step is retried."""


@dataclass(frozen=True, slots=True)
class WorkStep:
    """The input of a step: the task's arguments, data from earlier steps, and the owner's answers."""

    task: str
    arguments: Mapping[str, Any]
    left: Mapping[str, Any]
    answers: Mapping[str, Any]
    number: int
    # Reports progress: words, amount done, and total. Can be called often.
    tell: Tell


@dataclass(frozen=True, slots=True)
class Next:
    """There is more to do, after a delay. `left` is passed to the next step."""

    left: Mapping[str, Any] = field(default_factory=dict)
    after: float = 0.0
    progress: TaskProgress | None = None


@dataclass(frozen=True, slots=True)
class OwnerQuestions:
    """The owner must answer first: protocol requests, named for the next step."""

    questions: Mapping[str, Any]
    left: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepDone:
    """The result, as JSON."""

    result: Mapping[str, Any]


StepOutcome = Next | OwnerQuestions | StepDone


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work. A step must end within its time limit; the next step continues."""

    name: str
    step: Callable[[WorkStep], Awaitable[StepOutcome]]
