"""Scheduled jobs of providers. Each job has a name that describes its work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from tasks.tasks import Tasks

# The owner of tasks that were started by a job instead of a caller.
OF_THIS_SERVER: Final = "this server"

G = TypeVar("G")
O = TypeVar("O")  # noqa: E741 - what is opened


@dataclass(frozen=True, slots=True)
class JobContext(Generic[O]):
    """What a job can use: the provider's service, and the tasks. Both are created on first use."""

    opened: Callable[[], Awaitable[O]]
    tasks: Callable[[], Tasks]

    async def begin(self, work: str, title: str) -> None:
        """Start a task for a job. The task starts soon, and is retried soon after a failure."""
        await self.tasks().begin(work, OF_THIS_SERVER, {}, title)


Run = Callable[[JobContext[O]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ScheduledJob(Generic[G, O]):
    """A job whose schedule is a setting. Each such job is a separate function, so Azure scales it separately."""

    name: str
    schedule: Callable[[G], str]
    run: Run[O]


class Every(Enum):
    HOUR = "hour"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Chore(Generic[O]):
    """A small hourly or daily job. All such jobs share one function."""

    name: str
    every: Every
    run: Run[O]


AnyChore = Chore[Any]
