from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from updates.searching.dates import Period, period, ticks

MOMENTS = st.datetimes(timezones=st.just(UTC))


def test_a_day_includes_all_of_itself() -> None:
    day = period("2026-02-28", "dateTo")
    assert day == Period(ticks("2026-02-28T00:00:00Z"), ticks("2026-03-01T00:00:00Z") - 1)


def test_a_month_includes_all_of_itself() -> None:
    month = period("2024-02", "dateTo")
    assert month == Period(ticks("2024-02-01T00:00:00Z"), ticks("2024-03-01T00:00:00Z") - 1)


def test_the_last_day_there_is_has_an_end() -> None:
    assert period("9999-12-31", "dateTo").last == period("9999-12", "dateTo").last


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-01-01T10:00:00.1234567Z", "2026-01-01T10:00:00.12345678999Z"),
        ("2026-01-01T10:00:00Z", "2026-01-01T12:00:00+02:00"),
        ("2026-01-01T10:00:00Z", " 2026-01-01 10:00 "),
        ("2026-01-01T10:00:00Z", "2026-01-01t10:00:00z"),
    ],
)
def test_a_timestamp_is_one_instant_in_utc(text: str, same: str) -> None:
    instant = period(text, "dateFrom")
    assert instant == period(same, "dateFrom")
    assert instant.first == instant.last


@given(MOMENTS, MOMENTS, st.integers(0, 9))
def test_ticks_keep_the_order_and_the_seventh_digit(one: datetime, other: datetime, digit: int) -> None:
    assert (ticks(one.isoformat()) < ticks(other.isoformat())) == (one < other)
    assert ticks(f"{one.replace(tzinfo=None, microsecond=0).isoformat()}.000000{digit}Z") % 10 == digit


@given(MOMENTS)
def test_a_moment_is_within_its_day_and_month(moment: datetime) -> None:
    date = moment.date().isoformat()
    tick = ticks(moment.isoformat())
    for text in (date, date[:7]):
        assert period(text, "x").first <= tick <= period(text, "x").last
    assert period(date, "x").first_month == period(date, "x").last_month == moment.year * 12 + moment.month - 1


def test_a_moment_before_the_year_one_counts_as_its_beginning() -> None:
    assert ticks("0001-01-01T00:00:00+14:00") == 0
    assert ticks("0001-01-01T00:00:00-01:00") == timedelta(hours=1) // timedelta(microseconds=1) * 10


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "yesterday",
            "2026",
            "26-01",
            "2026-1-1",
            "20260101",
            "2026-W01-1",
            "\u0662\u0660\u0662\u0666-\u0660\u0661",
        ),
        *("2026-13", "2026-00", "2026-02-30", "2026-01-00", "0000-01", "2026-01-01T25:00", "2026-01-01T10:00+99:00"),
        "2026-01-01T10:00:00 or so",
    ],
)
def test_what_is_no_date_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(Refusal, match=r"dateFrom .* is not a date.*YYYY-MM-DD, YYYY-MM"):
        period(text, "dateFrom")
