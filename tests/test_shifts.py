"""Who works for long lets others have a turn, and nobody waits for one who rests."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shifts import SECONDS_OF_REST, SECONDS_OF_WORK, Shifts, give_way

STEP = SECONDS_OF_WORK / 4


class Clock:
    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        return self.moment


def test_work_rests_each_time_that_it_has_worked_for_long() -> None:
    clock, rests = Clock(), list[float]()

    def work() -> None:
        for _ in range(40):
            clock.moment += STEP
            give_way()

    Shifts(clock, rests.append).do(work)
    assert rests == [SECONDS_OF_REST] * 10


def test_work_that_is_not_done_in_turns_never_rests() -> None:
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

    shifts = Shifts(iter(range(100)).__next__, rest)

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
