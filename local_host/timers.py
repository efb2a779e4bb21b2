"""Runs functions with timer triggers on their schedules."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from local_host.cannot_start import CannotStartError
from local_host.ncrontab import Ncrontab, NotNcrontabError

Schedule = Callable[[datetime], datetime | None]

_TIME_SPAN = re.compile(
    r"(?:(?P<days>\d{1,6})\.)?(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]?\d)(?::(?P<seconds>[0-5]?\d))?"
)
_LATE = timedelta(seconds=1)
# If a schedule never occurs again, the platform reports this time as its next occurrence.
_NEVER = datetime.max.replace(tzinfo=UTC)

logger = logging.getLogger("local_host")


class TimerClock:
    """The clock of this machine, in UTC, as on the platform."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep_until(self, moment: datetime) -> None:
        """Sleep until a time. Sleep in short intervals, to notice clock changes and suspensions of the machine."""
        remaining = (moment - self.now()).total_seconds()
        while remaining > 0:
            await asyncio.sleep(min(remaining, 30))
            remaining = (moment - self.now()).total_seconds()


class Timer:
    """A function that runs on a schedule. The function never runs twice at the same time."""

    def __init__(
        self, name: str, trigger: Mapping[str, Any], invoke: Callable[[str], Awaitable[object]], clock: TimerClock
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
        """Run the function at each scheduled time, forever. Skip times that pass while the function runs."""
        if self._run_on_startup:
            await self.run()
        while due := self._next_after(self._clock.now()):
            await self._clock.sleep_until(due)
            await self.run(past_due=self._clock.now() - due > _LATE)
        logger.warning("%s: the schedule %r never occurs", self.name, self.expression)

    async def run(self, *, past_due: bool = False) -> None:
        """Run the function now, or as soon as its current run has ended."""
        async with self._running:
            started = self._clock.now()
            await self._invoke(self._event(started, past_due=past_due))
            self._last = started

    async def settle(self) -> None:
        """Wait until the current run has ended, and do not start another run."""
        await self._running.acquire()

    def _event(self, now: datetime, *, past_due: bool) -> str:
        status = {"Last": self._last, "Next": self._next_after(now) or _NEVER, "LastUpdated": self._last}
        return json.dumps(
            {
                "Schedule": {"AdjustForDST": True},
                "ScheduleStatus": {name: moment.isoformat() for name, moment in status.items()},
                "IsPastDue": past_due,
            }
        )


def expanded(expression: str) -> str:
    """Replace `%NAME%` with the value of this setting."""

    def setting(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise CannotStartError(f"The schedule {expression} needs the setting {found[1]}, which is not set.")
        return os.environ[found[1]]

    return re.sub("%([^%]+)%", setting, expression)


def schedule(expression: str) -> Schedule:
    """Parse an NCRONTAB expression with five or six fields, or a time span such as `00:05:00`."""
    try:
        return Ncrontab(expression).next_after
    except NotNcrontabError as problem:
        if interval := time_span(expression):
            return lambda moment: moment + interval
        raise CannotStartError(
            f"The schedule {expression!r} must be an NCRONTAB expression such as '0 */5 * * * *' ({problem}) or a"
            " time span such as '00:05:00'."
        ) from None


def time_span(text: str) -> timedelta | None:
    """Parse a time span. Return None if the text is not a time span."""
    found = _TIME_SPAN.fullmatch(text.strip())
    if found is None:
        return None
    return timedelta(**{unit: int(number) for unit, number in found.groupdict(default="0").items()})
