"""Long work lets other threads have a turn, costs no sleep when it is alone, and makes nobody wait while it rests."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shifts import (
    SECONDS_OF_NOISE,
    SECONDS_OF_PAUSE,
    SECONDS_OF_REST,
    SECONDS_OF_WAKING,
    SECONDS_OF_WORK,
    Shifts,
    give_way,
)

STEP = SECONDS_OF_WORK / 4


class Clock:
    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        return self.moment


def test_work_that_is_alone_never_rests() -> None:
    clock, rests = Clock(), list[float]()

    def work() -> None:
        for _ in range(40):
            clock.moment += STEP
            give_way()

    Shifts(clock, rests.append, clock).do(work)
    assert rests == []


class Others:
    """A thread that does a shift of work at each step, while others do as much as they are given."""

    def __init__(self, *in_pauses: float) -> None:
        self.own, self.of_all, self.rests = Clock(), Clock(), list[float]()
        self.in_pauses = list(in_pauses)
        self.shifts = Shifts(self.own, self._rest, self.of_all)

    def _rest(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.of_all.moment += self.in_pauses.pop(0) if self.in_pauses else 0.0

    def rests_after(self, *work_of_others: float) -> list[float]:
        def work() -> None:
            for others in work_of_others:
                self.own.moment += SECONDS_OF_WORK
                self.of_all.moment += SECONDS_OF_WORK + others
                give_way()

        self.shifts.do(work)
        return self.rests


def test_work_pauses_after_a_shift_in_which_another_thread_woke_up() -> None:
    assert Others().rests_after(0.0, 2 * SECONDS_OF_NOISE, 0.0, 0.0) == [SECONDS_OF_PAUSE]


def test_what_others_did_in_a_pause_makes_work_rest_and_pause_once_more() -> None:
    rests = Others(2 * SECONDS_OF_WAKING).rests_after(2 * SECONDS_OF_NOISE, 0.0, 0.0)
    assert rests == [SECONDS_OF_PAUSE, SECONDS_OF_REST, SECONDS_OF_PAUSE]


def test_work_outside_of_shifts_never_rests() -> None:
    clock, rests = Clock(), list[float]()
    Shifts(clock, rests.append).do(lambda: None)
    clock.moment = 1
    give_way()
    assert rests == []


def test_one_works_at_a_time_and_another_that_waits_while_it_rests() -> None:
    done: list[str] = []
    other_is_done = threading.Event()
    clock = Clock()

    def rest(_seconds: float) -> None:
        assert other_is_done.wait(timeout=30)

    shifts = Shifts(clock, rest, clock)

    def long() -> None:
        threads.submit(shifts.do, done.append, "other").add_done_callback(lambda _: other_is_done.set())
        done.append("before")
        while not other_is_done.is_set():
            clock.moment += SECONDS_OF_WORK
            give_way()
        done.append("after")

    with ThreadPoolExecutor(2) as threads:
        threads.submit(shifts.do, long).result()
    assert done == ["before", "other", "after"]


def test_what_goes_wrong_ends_the_turn() -> None:
    shifts = Shifts()
    with pytest.raises(ZeroDivisionError):
        shifts.do(lambda: 1 / 0)
    assert shifts.do(lambda: "next") == "next"
