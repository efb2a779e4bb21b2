"""The scheduled jobs of the app: the jobs of its providers, and the cleanup of the app's own data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from settings import Settings
from tools.jobs import AnyChore, Every, JobContext
from tools.provider import Provider, Providers

if TYPE_CHECKING:
    from tasks.tasks import Tasks

# The function that runs all chores. The function starts 12 minutes past the hour, because most other timers run on the
# hour.
HOUSEKEEPING: Final = "housekeeping"
HOURLY: Final = "0 12 * * * *"
# The hour (UTC) when daily chores run. If a run is missed, the next run is on the next day.
_DAILY_HOUR: Final = 3


@dataclass(frozen=True, slots=True)
class Job:
    """A scheduled job, which runs in its own function with a timer trigger."""

    name: str
    schedule: str
    run: Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Jobs:
    """All scheduled jobs, and all chores. The chores share a single timer.

    Azure scales each timer function separately, and bills each of them if instances are always ready (see
    `docs/deploying.md`). Therefore, only a job whose schedule is a setting has its own timer. All other scheduled work
    is done by chores.
    """

    settings: Settings
    providers: Providers
    tasks: Callable[[], Tasks]
    own_chores: Sequence[AnyChore]

    def all(self) -> Iterator[Job]:
        for provider in self.providers.present:
            given, settings = self._context_for(provider), self.settings.of(provider.settings)
            yield from (Job(one.name, one.schedule(settings), partial(one.run, given)) for one in provider.jobs)
        yield Job(HOUSEKEEPING, HOURLY, self.keep_house)

    async def keep_house(self, now: datetime | None = None) -> None:
        """Run all chores that are due, even if some fail. Raises ExceptionGroup with all failures."""
        is_daily = (now or datetime.now(UTC)).hour == _DAILY_HOUR
        failures = [
            failure
            for chore, given in self._chores()
            if (is_daily or chore.every is Every.HOUR) and (failure := await _failure_of(chore, given))
        ]
        if failures:
            raise ExceptionGroup("Some scheduled chores failed", failures)

    def _chores(self) -> Iterator[tuple[AnyChore, JobContext[Any]]]:
        yield from ((chore, JobContext(_nothing, self.tasks)) for chore in self.own_chores)
        for provider in self.providers.present:
            yield from ((chore, self._context_for(provider)) for chore in provider.chores)

    def _context_for(self, provider: Provider[Any, Any]) -> JobContext[Any]:
        return JobContext(partial(self.providers.get, provider.key), self.tasks)


async def _nothing() -> None:
    """Do nothing: the app's own chores need no service of a provider."""


async def _failure_of(chore: AnyChore, given: JobContext[Any]) -> Exception | None:
    try:
        await chore.run(given)
    except Exception as failure:  # noqa: BLE001 - raised again after all chores have run
        failure.add_note(f"in the chore {chore.name}")
        return failure
    return None
