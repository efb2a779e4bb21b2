"""Kinds of work: each is done in steps, and a step may be done again, because whoever does it may be stopped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refusal import Refusal
from tasks.task import TaskProgress

# What is being done, how much of it is done, and of how much, where that is known.
Tell = Callable[[str, int, int | None], None]


class HopelessError(Refusal):
    """It cannot succeed, however often it is tried. Anything else that a step raises is tried again."""


@dataclass(frozen=True, slots=True)
class WorkStep:
    """What a step is given: what the task was begun with, what the steps before left, and what its owner answered."""

    task: str
    arguments: Mapping[str, Any]
    left: Mapping[str, Any]
    answers: Mapping[str, Any]
    number: int
    # Says how far the work is: words, how much is done, and of how much. It may be called often.
    tell: Tell


@dataclass(frozen=True, slots=True)
class Next:
    """There is more to do, after a pause; `left` is all that the next step knows of this one."""

    left: Mapping[str, Any] = field(default_factory=dict)
    after: float = 0.0
    progress: TaskProgress | None = None


@dataclass(frozen=True, slots=True)
class OwnerQuestions:
    """The owner has to answer before it goes on: requests of the protocol, by names that the next step finds."""

    questions: Mapping[str, Any]
    left: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepDone:
    """What came of it, as JSON."""

    result: Mapping[str, Any]


StepOutcome = Next | OwnerQuestions | StepDone


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work. A step ends within the time that a step may take; more is done by a next one."""

    name: str
    step: Callable[[WorkStep], Awaitable[StepOutcome]]
