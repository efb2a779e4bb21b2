"""The lines of a calendar: as short as the format demands, with each text whole."""

from __future__ import annotations

import re
import sys
from collections import Counter
from types import FrameType

from hypothesis import given
from hypothesis import strategies as st

from updates.record import Availability
from updates.searching.search import FoundUpdate
from updates.showing import icalendar

LONGEST_LINE = 75


def described(text: str) -> FoundUpdate:
    moment = "2026-01-01T00:00:00Z"
    reach = (Availability("Preview", 2026, 3),)
    return FoundUpdate("1", "A title", text, None, (), (), (), reach, moment, moment)


def written(text: str) -> str:
    return icalendar.entry(described(text), lambda: "")


def read(calendar: str) -> str:
    line = next(line for line in calendar.replace("\r\n ", "").split("\r\n") if line.startswith("DESCRIPTION:"))
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], line.removeprefix("DESCRIPTION:"))


@given(st.text(st.characters(codec="utf-8"), max_size=200) | st.text(st.sampled_from("a;,\\ \n"), max_size=400))
def test_a_text_comes_back_whole_out_of_short_lines(text: str) -> None:
    calendar = written(text)
    assert max(len(line.encode()) for line in calendar.split("\r\n")) <= LONGEST_LINE
    without_controls = re.sub(r"[\x00-\x08\x0e-\x1b\x1f\x7f]", "", text)
    assert read(calendar) == re.sub(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", "\n", without_controls)


def test_where_a_character_is_a_byte_none_is_looked_for_between_lines() -> None:
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _argument: object) -> None:
        calls[frame.f_code.co_name] += event == "call"

    sys.setprofile(count)
    try:
        written("word " * 1_000)
    finally:
        sys.setprofile(None)
    assert calls["_whole_characters"] == 0
    assert calls["_escaped"] > 0
