"""Who works for long lets others have a turn, and nobody waits for one who rests."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shifts import SECONDS_OF_PAUSE, SECONDS_OF_REST, SECONDS_OF_WORK, Shifts, give_way

STEP = SECONDS_OF_WORK / 4


class Clock:
    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        return self.moment


def test_work_that_is_alone_only_pauses_after_each_shift() -> None:
    clock, rests = Clock(), list[float]()

    def work() -> None:
        for _ in range(40):
            clock.moment += STEP
            give_way()

    Shifts(clock, rests.append, clock).do(work)
    assert rests == [SECONDS_OF_PAUSE] * 10


def test_work_rests_longer_after_a_shift_in_which_other_threads_were_busy() -> None:
    own, of_all, rests = Clock(), Clock(), list[float]()

    def work(*, others: float) -> None:
        own.moment += SECONDS_OF_WORK
        of_all.moment += SECONDS_OF_WORK + others
        give_way()

    shifts = Shifts(own, rests.append, of_all)
    for others in (0.0, SECONDS_OF_WORK, 0.0):
        shifts.do(work, others=others)
    assert rests == [SECONDS_OF_PAUSE, SECONDS_OF_PAUSE, SECONDS_OF_REST, SECONDS_OF_PAUSE]


def test_work_outside_of_shifts_never_rests() -> None:
    clock, rests = Clock(), list[float]()
    Shifts(clock, rests.append).do(lambda: None)
    clock.moment = 1
    give_way()
    assert rests == []


def test_one_works_at_a_time_and_another_while_it_rests() -> None:
    done: list[str] = []
    other_is_done = threading.Event()

    def rest(_seconds: float) -> None:
        assert other_is_done.wait(timeout=30)

    shifts = Shifts(iter(range(100)).__next__, rest, Clock())

    def long() -> None:
        threads.submit(shifts.do, done.append, "other").add_done_callback(lambda _: other_is_done.set())
        done.append("before")
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
