"""A circuit breaker: after several consecutive failures, requests to a server are paused."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from extensions.upstream.failures import ServerUnreachableError

FAILURES: Final = 3
_FIRST_PAUSE: Final = 15.0
_LONGEST_PAUSE: Final = 600.0

Clock = Callable[[], float]


class Circuit:
    """Counts consecutive requests that failed because the server is unavailable. A response with an error is not
    counted, because such a response shows that the server is running.
    """

    def __init__(self, who: str, clock: Clock = time.time) -> None:
        self._who = who
        self.clock = clock
        self._failures = 0
        self._not_before = 0.0
        self._seen = 0.0

    @property
    def is_open(self) -> bool:
        return self.clock() < self._not_before

    @property
    def last_seen(self) -> str:
        """The UTC time when the server last responded, or an empty string if it has never responded."""
        return _timestamp(self._seen) if self._seen else ""

    def check(self) -> None:
        """Raise ServerUnreachableError if requests are paused because the server failed too often."""
        if self.is_open:
            seen = f"it last answered at {self.last_seen}" if self._seen else "it has not answered yet"
            raise ServerUnreachableError(
                f"{self._who} is unavailable: it failed {self._failures} times in a row, and {seen}. Requests resume"
                f" at {_timestamp(self._not_before)}."
            )

    def answered(self) -> None:
        self._failures, self._not_before, self._seen = 0, 0.0, self.clock()

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= FAILURES:
            pause = _FIRST_PAUSE * 2.0 ** min(self._failures - FAILURES, 10)
            self._not_before = self.clock() + min(pause, _LONGEST_PAUSE)


def _timestamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
