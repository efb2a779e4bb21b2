"""How often somebody may come."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identity.limits import RateLimit, TooManyRequests, address_of


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minutes_requests_may_come_at_once_and_then_they_have_to_wait() -> None:
    clock = Clock()
    limit = RateLimit("caller", 60, clock)
    for _ in range(60):
        limit.take("eve")
    with pytest.raises(TooManyRequests) as refused:
        limit.take("eve")
    assert str(refused.value) == "Too many requests from this caller. Try again in 1 seconds."
    clock.now = refused.value.seconds
    limit.take("eve")


def test_others_are_not_held_up() -> None:
    limit = RateLimit("caller", 1, Clock())
    limit.take("eve")
    limit.take("mallory")


def test_without_a_number_there_is_no_limit() -> None:
    limit = RateLimit("caller", 0, Clock())
    for _ in range(10_000):
        limit.take("eve")


@given(st.lists(st.floats(0, 30), max_size=200), st.integers(1, 50))
def test_within_any_minute_no_more_than_twice_the_number_comes_through(pauses: list[float], number: int) -> None:
    clock, taken = Clock(), []
    limit = RateLimit("caller", number, clock)
    for pause in pauses:
        clock.now += pause
        with suppress(TooManyRequests):
            limit.take("eve")
            taken.append(clock.now)
    for start in taken:
        assert sum(start <= moment < start + 60 for moment in taken) <= 2 * number


def test_ever_new_names_do_not_pile_up() -> None:
    limit = RateLimit("address", 1, Clock())
    for number in range(30_000):
        limit.take(number)
    assert len(limit._full_at) <= 10_000  # noqa: SLF001 - the memory it takes is the point


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("203.0.113.7:5432", "203.0.113.7"),
        ("203.0.113.7", "203.0.113.7"),
        ("10.0.0.1, 203.0.113.7:5432", "203.0.113.7"),
        ("evil, 203.0.113.7:1", "203.0.113.7"),
        ("[2001:db8::1]:443", "2001:db8::/64"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("", ""),
    ],
)
def test_the_address_is_the_one_that_the_front_end_saw(forwarded: str, address: str) -> None:
    assert address_of({"x-forwarded-for": forwarded}) == address
