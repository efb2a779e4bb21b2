"""Defines kinds of work that tasks perform. Work consists of steps. A step may run more than once, because its worker
may be stopped during the step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refusal import Refusal
from tasks.task import TaskProgress

# Reports progress: a description of the current work, the amount done, and the total if known.
Tell = Callable[[str, int, int | None], None]


class HopelessError(Refusal):
    """The work cannot succeed, so the step is not retried. After any other exception, the step is retried."""


@dataclass(frozen=True, slots=True)
class WorkStep:
    """The input of a step: the arguments of the task, the data from earlier steps, and the owner's answers."""

    task: str
    arguments: Mapping[str, Any]
    left: Mapping[str, Any]
    answers: Mapping[str, Any]
    number: int
    # Reports the progress of the step. A step may report progress often, because progress is saved only every few
    # seconds.
    tell: Tell


@dataclass(frozen=True, slots=True)
class Next:
    """The outcome of a step that is followed by another step, after a delay. `left` contains the data for the next
    step.
    """

    left: Mapping[str, Any] = field(default_factory=dict)
    after: float = 0.0
    progress: TaskProgress | None = None


@dataclass(frozen=True, slots=True)
class OwnerQuestions:
    """The outcome of a step if the owner must answer questions first.

    Each question is a request in the MCP protocol.
    """

    questions: Mapping[str, Any]
    left: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepDone:
    """The outcome of the last step: the result of the task, as JSON."""

    result: Mapping[str, Any]


StepOutcome = Next | OwnerQuestions | StepDone


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work. A step must end within its time limit, and the next step continues the work."""

    name: str
    step: Callable[[WorkStep], Awaitable[StepOutcome]]
