"""Long work in threads, done in shifts: one piece of it at a time, which stops every few milliseconds.

Python lets one thread of a process work at a time. One that works on and on has the event loop wait for each of the
many small things that it does; one that rests between short shifts, hardly at all.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

SECONDS_OF_WORK: Final = 0.002
SECONDS_OF_REST: Final = 0.001

P = ParamSpec("P")
T = TypeVar("T")


class Shifts:
    """What takes part works one after the other, each until it rests."""

    def __init__(
        self, clock: Callable[[], float] = time.thread_time, rest: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._rest = rest
        self._at_work = threading.Lock()
        self._began = 0.0

    def do(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Do long work, in a thread that is not the one of the event loop."""
        with self._at_work:
            mark = _OURS.set(self)
            self._began = self._clock()
            try:
                return work(*arguments, **named)
            finally:
                _OURS.reset(mark)

    def rest_if_due(self) -> None:
        if self._clock() - self._began < SECONDS_OF_WORK:
            return
        self._at_work.release()
        try:
            self._rest(SECONDS_OF_REST)
        finally:
            self._at_work.acquire()
            self._began = self._clock()


SHIFTS: Final = Shifts()
_OURS: ContextVar[Shifts | None] = ContextVar("shifts", default=None)


def give_way() -> None:
    """Between two short steps of long work: let others have a turn, if it is done in shifts and has worked for long."""
    if shifts := _OURS.get():
        shifts.rest_if_due()
