"""Shifts whose clock runs out at each look, so that work pauses at every step where another thread waits."""

from __future__ import annotations

from itertools import count

from shifts import SECONDS_OF_PAUSE, Shifts


class Steps(Shifts):
    """`pauses` counts how often the work let others take over; alone, it must never do so."""

    def __init__(self, *, is_alone: bool = False) -> None:
        self.pauses = 0
        moments = count()
        pace_of_all = 0 if is_alone else 3
        super().__init__(lambda: next(moments), self._count, lambda: pace_of_all * next(moments))

    def _count(self, seconds: float) -> None:
        self.pauses += seconds == SECONDS_OF_PAUSE
