"""The parts of a request that asks for several things."""

from __future__ import annotations

import pytest

from understanding.clauses import parts_of


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("list the bugs", ["list the bugs"]),
        ("list the bugs, then close the oldest", ["list the bugs", "close the oldest"]),
        ("stop the app and swap the slots; file a bug", ["stop the app", "swap the slots", "file a bug"]),
        ("crée la branche puis ouvre une PR", ["crée la branche", "ouvre une PR"]),
        ("bugs, tasks", []),
        ("", []),
    ],
)
def test_parts_are_in_their_order(sentence: str, parts: list[str]) -> None:
    assert parts_of(sentence) == parts


def test_a_long_text_is_parted_in_time_that_grows_with_it() -> None:
    assert len(parts_of("one two, and then " * 20_000)) == 20_000
