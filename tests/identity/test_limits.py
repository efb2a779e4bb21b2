"""How often somebody may come."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identity.limits import AddressLimit, RateLimit, TooManyRequests, address_of


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
    assert str(refused.value) == "Too many requests from this caller. Try again in 2 seconds."
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


def test_ten_thousand_names_are_counted_and_then_the_half_that_came_least() -> None:
    clock = Clock()
    limit = RateLimit("address", 1, clock)
    for number in range(10_000):
        clock.now += 0.001
        limit.take(number)
    with pytest.raises(TooManyRequests):
        limit.take(0)
    clock.now += 0.001
    limit.take("one more")
    limit.take(1)
    with pytest.raises(TooManyRequests):
        limit.take(9_999)


@pytest.mark.parametrize(("daily", "seconds"), [("", 60), ("messages", 86_400)])
def test_a_bucket_is_full_again_after_a_minute_or_a_day(daily: str, seconds: int) -> None:
    clock = Clock()
    limit = RateLimit("caller", 2, clock, daily=daily)
    limit.take("eve")
    limit.take("eve")
    clock.now = 0.99 * seconds
    limit.take("eve")
    with pytest.raises(TooManyRequests, match=f"Too many {daily or 'requests'} from this caller"):
        limit.take("eve")


def test_who_has_used_up_a_bucket_gets_no_new_one_by_ever_new_names() -> None:
    limit = RateLimit("caller", 3, Clock())
    for _ in range(3):
        limit.take("eve")
    for number in range(30_000):
        limit.take(number)
    with pytest.raises(TooManyRequests):
        limit.take("eve")


def test_who_does_not_wait_as_told_stays_out() -> None:
    clock = Clock()
    limit = RateLimit("caller", 60, clock)
    for _ in range(60):
        limit.take("eve")
    for _ in range(100):
        clock.now += 0.9
        with pytest.raises(TooManyRequests):
            limit.take("eve")


@given(st.integers(1, 400), st.integers(0, 1000))
def test_who_waits_as_told_is_let_in_within_a_minute(number: int, tries: int) -> None:
    clock, told = Clock(), 0
    limit = RateLimit("caller", number, clock)
    for _ in range(number + tries + 1):
        try:
            limit.take("eve")
        except TooManyRequests as refused:
            told = refused.seconds
    assert 0 < told <= 60
    clock.now += told
    limit.take("eve")


def passed(limit: AddressLimit, *addresses: str) -> int:
    """How many of these get through."""
    count = 0
    for address in addresses:
        with suppress(TooManyRequests):
            limit.take(address)
            count += 1
    return count


def test_all_addresses_of_a_household_are_one() -> None:
    assert passed(AddressLimit(5, Clock()), *(f"2001:db8::{number * 600:x}:0:0:1" for number in range(100))) == 5


def test_a_site_may_send_as_much_as_four_households() -> None:
    limit = AddressLimit(5, Clock())
    assert passed(limit, *(f"2001:db8:0:{number * 600:x}::1" for number in range(100))) == 20
    assert passed(limit, "2001:db8:1::1", "192.0.2.1") == 2


def test_one_household_does_not_use_up_what_its_site_has() -> None:
    limit = AddressLimit(5, Clock())
    assert passed(limit, *["2001:db8::1"] * 100) == 5
    assert passed(limit, "2001:db8:0:1::1") == 1


def test_an_address_in_another_form_is_the_same() -> None:
    assert passed(AddressLimit(1, Clock()), "192.0.2.1", "::ffff:192.0.2.1") == 1
    assert passed(AddressLimit(1, Clock()), "::ffff:192.0.2.1", "::ffff:192.0.2.2") == 2
    assert passed(AddressLimit(1, Clock()), "2001:db8::1", "2001:0db8:0:0::1", "fe80::1%1", "fe80::1%2", "", "") == 3


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("203.0.113.7:5432", "203.0.113.7"),
        ("203.0.113.7", "203.0.113.7"),
        ("10.0.0.1, 203.0.113.7:5432", "203.0.113.7"),
        ("evil, 203.0.113.7:1", "203.0.113.7"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("", ""),
    ],
)
def test_the_address_is_the_one_that_the_front_end_saw(forwarded: str, address: str) -> None:
    assert address_of({"x-forwarded-for": forwarded}) == address


def test_what_is_counted_by_the_day_comes_back_evenly_however_often_it_was_refused() -> None:
    clock = Clock()
    changes = RateLimit("agent", 4, clock, daily="changes")
    for _ in range(4):
        changes.take("night")
    for _ in range(10):
        with pytest.raises(TooManyRequests) as refused:
            changes.take("night")
        assert str(refused.value) == "Too many changes from this agent. Try again in 21600 seconds."
    clock.now += 21600
    changes.take("night")
    changes.take("other")
