"""What the updates say of retirements, and on which day."""

from __future__ import annotations

import pytest

from retirements.announcements import announced, due_of, first_day_of, last_day_of
from tests.updates.indexing import index_of, update
from updates.record import Availability

MAY = (Availability("Retirement", 2027, 5),)


@pytest.mark.parametrize(
    ("title", "text", "due"),
    [
        ("It ends on May 31, 2027", "", "2027-05-31"),
        ("It ends", "after 31 May 2027. It began on May 2nd, 2026.", "2027-05-31"),
        ("It ends on May 31st 2027", "Reminders on May 1, 2027.", "2027-05-31"),
        ("It ends", "until 5 /31 /2027", "2027-05-31"),
        ("It ends", "May 1, 2027 or May 2, 2027", "2027-05"),
        ("It ends on November 15th, 2028", "", "2027-05"),
        ("It ends", "May 99, 2027", "2027-05"),
    ],
)
def test_the_day_is_the_only_one_that_is_named_in_the_month_of_the_feed(title: str, text: str, due: str) -> None:
    assert due_of(title, text, MAY) == due


def test_without_a_month_nothing_is_guessed() -> None:
    assert due_of("It ends on May 31, 2027", "", (Availability("Retirement", 2027, None),)) == "2027"
    assert due_of("It ends on May 31, 2027", "", (Availability("Preview", 2027, 5),)) == ""


def test_days_of_dates_that_are_not_whole() -> None:
    assert (first_day_of("2027"), last_day_of("2027")) == ("2027-01-01", "2027-12-31")
    assert (first_day_of("2028-02"), last_day_of("2028-02")) == ("2028-02-01", "2028-02-29")
    assert (first_day_of("2028-02-03"), last_day_of("2028-02-03")) == ("2028-02-03", "2028-02-03")
    assert (first_day_of(""), last_day_of("")) == ("", "")


def test_all_retirements_are_read_once_and_withdrawn_ones_are_left_out() -> None:
    by_tag = update("1", "Retirement: Azure Cache for Redis is retiring", tags=["Retirements"])
    by_ring = update("2", "Retirement: Something", reaches={"Retirement": "2027-05"})
    other = update("3", "Generally Available: Something")
    gone = update("4", "Retirement: Gone", tags=["Retirements"])
    index = index_of(by_tag, by_ring, other, withdrawn=[gone])
    found = announced(index)
    assert [one.update for one in found] == ["2", "1"]
    assert found[1].name == "Azure Cache for Redis is retiring"
    assert found[1].entry
    assert announced(index) is found


def test_without_any_retirement_there_is_none() -> None:
    assert announced(index_of(update("3"))) == ()
