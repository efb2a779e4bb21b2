"""A clock that runs out at each look, so that work rests at every step that it has, and how often it did."""

from __future__ import annotations

from itertools import count

from shifts import Shifts


class Steps(Shifts):
    def __init__(self) -> None:
        self.rests: list[float] = []
        moments = count()
        super().__init__(clock=lambda: next(moments), rest=self.rests.append, clock_of_all=lambda: 0.0)
