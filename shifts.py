"""Long work in threads, done in shifts: one piece at a time, which pauses after every millisecond of work.

Only one Python thread runs at a time. Work without pauses makes the event loop wait at each of its many small steps.
After each shift, the work pauses just long enough for a waiting thread to take over; only if other threads are busy
does it rest longer. So work that runs alone takes hardly longer than it would without pauses.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

SECONDS_OF_WORK: Final = 0.001
# As short as a system's timers go: long enough for another thread to wake up and take over.
SECONDS_OF_PAUSE: Final = 0.000_05
SECONDS_OF_REST: Final = 0.001
# Less than this is what a sleep itself costs, not what another thread did.
SECONDS_OF_NOISE: Final = 0.000_05

P = ParamSpec("P")
T = TypeVar("T")


class Shifts:
    """Pieces of work take turns, each until it rests.

    `clock` measures the processor time of this thread, `clock_of_all` that of the whole process.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.thread_time,
        rest: Callable[[float], None] = time.sleep,
        clock_of_all: Callable[[], float] = time.process_time,
    ) -> None:
        self._clock = clock
        self._clock_of_all = clock_of_all
        self._rest = rest
        self._at_work = threading.Lock()
        self._began = 0.0
        self._began_of_all = 0.0

    def do(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Do long work, in a thread that is not the one of the event loop."""
        with self._at_work:
            mark = _OURS.set(self)
            self._begin()
            try:
                return work(*arguments, **named)
            finally:
                _OURS.reset(mark)

    def rest_if_due(self) -> None:
        if self._clock() - self._began < SECONDS_OF_WORK:
            return
        self._at_work.release()
        try:
            self._rest(SECONDS_OF_PAUSE)
            if self._others_are_busy():
                self._rest(SECONDS_OF_REST)
        finally:
            self._at_work.acquire()
            self._begin()

    def _begin(self) -> None:
        self._began, self._began_of_all = self._clock(), self._clock_of_all()

    def _others_are_busy(self) -> bool:
        """Whether other threads have used the processor since this shift began."""
        own, of_all = self._clock() - self._began, self._clock_of_all() - self._began_of_all
        return of_all - own > SECONDS_OF_NOISE


SHIFTS: Final = Shifts()
_OURS: ContextVar[Shifts | None] = ContextVar("shifts", default=None)


def give_way() -> None:
    """Between two short steps of long work: let others have a turn, if it is done in shifts and has worked for long."""
    if shifts := _OURS.get():
        shifts.rest_if_due()
