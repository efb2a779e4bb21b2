"""What is done at set times, without anybody asking for it: each job has a name that says what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from tasks.tasks import Tasks

# Whose tasks those are that no caller has begun.
OF_THIS_SERVER: Final = "this server"

G = TypeVar("G")
O = TypeVar("O")  # noqa: E741 - what is opened


@dataclass(frozen=True, slots=True)
class JobContext(Generic[O]):
    """What a job works with: what its provider opens, and tasks. Neither is made before it is asked for."""

    opened: Callable[[], Awaitable[O]]
    tasks: Callable[[], Tasks]

    async def begin(self, work: str, title: str) -> None:
        """Begin long work, which the queue does: that takes a moment, and what fails is tried again soon."""
        await self.tasks().begin(work, OF_THIS_SERVER, {}, title)


Run = Callable[[JobContext[O]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ScheduledJob(Generic[G, O]):
    """A job whose schedule a setting says: it is a function of its own, and so a group that Azure scales apart."""

    name: str
    schedule: Callable[[G], str]
    run: Run[O]


class Every(Enum):
    HOUR = "hour"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Chore(Generic[O]):
    """A small job without a schedule of its own: all of them share one function."""

    name: str
    every: Every
    run: Run[O]


AnyChore = Chore[Any]
