"""Runs long CPU work in threads without blocking the event loop: the work pauses when another thread is waiting.

Only one Python thread runs at a time, so long work without pauses delays each small step of the event loop. The working
thread therefore checks after each half millisecond whether other threads used the CPU: even a thread that waits for its
turn uses a little CPU time. If so, the working thread pauses just long enough for the other thread to take over, or
longer if the other thread stays busy. If no other thread is busy, the work never pauses.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

SECONDS_OF_WORK: Final = 0.000_5
# The shortest useful sleep: long enough for another thread to wake up and take over.
SECONDS_OF_PAUSE: Final = 0.000_05
SECONDS_OF_REST: Final = 0.001
# If other threads used more CPU time than this, at least one of them woke up. Smaller values can come from the
# delay between reading the two clocks.
SECONDS_OF_NOISE: Final = 0.000_001
# If a thread used less CPU time than this value, it woke up and found nothing to do.
SECONDS_OF_WAKING: Final = 0.000_05

P = ParamSpec("P")
T = TypeVar("T")


class Shifts:
    """Runs long functions one at a time. When the running function pauses, the next function continues.

    `clock` measures the CPU time of the current thread, and `clock_of_all` the CPU time of the whole process.
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
        self._counting = threading.Lock()
        self._waiting = 0
        self._began = 0.0
        self._of_others = 0.0

    def do(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a long function when its turn comes. Do not call this method in the thread of the event loop."""
        self._take_turn()
        mark = _OURS.set(self)
        try:
            self._began, self._of_others = self._clock(), self._time_of_others()
            return work(*arguments, **named)
        finally:
            _OURS.reset(mark)
            self._at_work.release()

    def rest_if_due(self) -> None:
        if self._clock() - self._began < SECONDS_OF_WORK:
            return
        of_others = self._time_of_others()
        if self._waiting or of_others - self._of_others > SECONDS_OF_NOISE:
            self._let_others_work(of_others)
            # Compare with the time before the pause: threads that used the CPU during the pause may be waiting again.
            self._of_others = of_others
        self._began = self._clock()

    def _let_others_work(self, of_others: float) -> None:
        self._at_work.release()
        try:
            self._rest(SECONDS_OF_PAUSE)
            if self._time_of_others() - of_others > SECONDS_OF_WAKING:
                self._rest(SECONDS_OF_REST)
        finally:
            self._take_turn()

    def _take_turn(self) -> None:
        """Wait until no other long function runs. A running function pauses when it notices that others are waiting."""
        with self._counting:
            self._waiting += 1
        self._at_work.acquire()
        with self._counting:
            self._waiting -= 1

    def _time_of_others(self) -> float:
        """The CPU time of all other threads, plus an unknown constant. Use only differences between two results, in
        which the constant cancels out.
        """
        return self._clock_of_all() - self._clock()


SHIFTS: Final = Shifts()
_OURS: ContextVar[Shifts | None] = ContextVar("shifts", default=None)


def give_way() -> None:
    """Pause the current long function if its shift is over. Long functions call this function between short steps.

    Outside `Shifts.do`, this does nothing.
    """
    if shifts := _OURS.get():
        shifts.rest_if_due()
