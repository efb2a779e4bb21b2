"""Timer triggers: their schedules, and running them."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from croniter import CroniterError, croniter

from local_host.cannot_start import CannotStartError

Schedule = Callable[[datetime], datetime]

# The part of cron's notation that NCRONTAB shares with croniter, which knows more.
_FIELD = re.compile(r"(?:[\d*/,-]|[a-z]{3})+", re.IGNORECASE)
_TIME_SPAN = re.compile(
    r"(?:(?P<days>\d+)\.)?(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]?\d)(?::(?P<seconds>[0-5]?\d))?"
)
_LATE = timedelta(seconds=1)


class Clock:
    """The time of this machine, in UTC as on the platform."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep_until(self, moment: datetime) -> None:
        """Sleep in short stretches, so that a clock that is set or a machine that slept is noticed."""
        remaining = (moment - self.now()).total_seconds()
        while remaining > 0:
            await asyncio.sleep(min(remaining, 30))
            remaining = (moment - self.now()).total_seconds()


class Timer:
    """A function that runs on a schedule, never twice at once."""

    def __init__(
        self, name: str, trigger: Mapping[str, Any], invoke: Callable[[str], Awaitable[object]], clock: Clock
    ) -> None:
        self.name = name
        self.expression = expanded(str(trigger["schedule"]))
        self._next_after = schedule(self.expression)
        self._run_on_startup = bool(trigger.get("runOnStartup"))
        self._invoke = invoke
        self._clock = clock
        self._running = asyncio.Lock()
        self._last = datetime.min.replace(tzinfo=UTC)

    async def keep_schedule(self) -> None:
        """Run at every occurrence, for ever. One that passes while the function runs is left out."""
        if self._run_on_startup:
            await self.run()
        while True:
            due = self._next_after(self._clock.now())
            await self._clock.sleep_until(due)
            await self.run(past_due=self._clock.now() - due > _LATE)

    async def run(self, *, past_due: bool = False) -> None:
        """Run now, or as soon as a run that is under way has ended."""
        async with self._running:
            started = self._clock.now()
            await self._invoke(self._event(started, past_due=past_due))
            self._last = started

    async def settle(self) -> None:
        """Wait for a run that is under way, and begin no other."""
        await self._running.acquire()

    def _event(self, now: datetime, *, past_due: bool) -> str:
        status = {"Last": self._last, "Next": self._next_after(now), "LastUpdated": self._last}
        return json.dumps(
            {
                "Schedule": {"AdjustForDST": True},
                "ScheduleStatus": {name: moment.isoformat() for name, moment in status.items()},
                "IsPastDue": past_due,
            }
        )


def expanded(expression: str) -> str:
    """Replace `%NAME%` by the setting of that name."""

    def setting(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise CannotStartError(f"The schedule {expression} needs the setting {found[1]}, which is not set.")
        return os.environ[found[1]]

    return re.sub("%([^%]+)%", setting, expression)


def schedule(expression: str) -> Schedule:
    """Read an NCRONTAB expression of five or six fields, or a time span such as `00:05:00`."""
    fields = expression.split()
    if len(fields) in (5, 6) and all(_FIELD.fullmatch(field) for field in fields):
        return _cron(" ".join(fields))
    if span := _TIME_SPAN.fullmatch(expression.strip()):
        interval = timedelta(**{unit: int(number) for unit, number in span.groupdict(default="0").items()})
        if interval:
            return lambda moment: moment + interval
    raise _unreadable(expression)


def _cron(expression: str) -> Schedule:
    def next_after(moment: datetime) -> datetime:
        # Where both are given, the day of the month and that of the week must agree, unlike in Unix.
        following: datetime = croniter(expression, moment, datetime, day_or=False, second_at_beginning=True).get_next()
        return following

    try:
        next_after(datetime.now(UTC))
    except CroniterError:
        raise _unreadable(expression) from None
    return next_after


def _unreadable(expression: str) -> CannotStartError:
    return CannotStartError(
        f"The schedule {expression!r} is neither an NCRONTAB expression that ever occurs, such as '0 */5 * * * *', "
        "nor a time span, such as '00:05:00'."
    )
