"""Long work in threads, done in shifts: one piece at a time, which pauses if another thread is waiting.

Only one Python thread runs at a time. Work without pauses makes the event loop wait at each of its many small steps.
So the work looks after each shift whether other threads used the processor: one that wakes up does, even if all it
can do is wait for its turn. Then the work pauses just long enough for that thread to take over, and rests longer if
it stays busy. Work that runs alone never sleeps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

SECONDS_OF_WORK: Final = 0.000_5
# As short as a system's timers go: long enough for another thread to wake up and take over.
SECONDS_OF_PAUSE: Final = 0.000_05
SECONDS_OF_REST: Final = 0.001
# A thread that wakes up takes longer than this; reading the two clocks one after the other makes less of a difference.
SECONDS_OF_NOISE: Final = 0.000_001
# Less than this is a thread that only woke up and found nothing to do.
SECONDS_OF_WAKING: Final = 0.000_05

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
        self._counting = threading.Lock()
        self._waiting = 0
        self._began = 0.0
        self._of_others = 0.0

    def do(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Do long work, in a thread that is not the one of the event loop."""
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
            # What others did meanwhile counts for the next shift, too: they may be waiting again.
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
        """Wait until no other piece of work has its turn; the one that has it sees who waits."""
        with self._counting:
            self._waiting += 1
        self._at_work.acquire()
        with self._counting:
            self._waiting -= 1

    def _time_of_others(self) -> float:
        """The processor time of all other threads, up to a constant."""
        return self._clock_of_all() - self._clock()


SHIFTS: Final = Shifts()
_OURS: ContextVar[Shifts | None] = ContextVar("shifts", default=None)


def give_way() -> None:
    """Between two short steps of long work: let others have a turn, if it is done in shifts and has worked for long."""
    if shifts := _OURS.get():
        shifts.rest_if_due()
