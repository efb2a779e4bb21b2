"""Unified differences: applied to the old text, each gives the new one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tools.azure_devops.shared.diffs import unified
from tools.azure_devops.shared.file_contents import LONGEST_TEXT, as_text, excerpt, lines_of

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "\x0c", "d\r", "\u2028", "- x", "+ x", "\\"]), max_size=30)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n")


def applied(old: str, diff: str) -> str:
    """What becomes of a text by a difference, as any tool would apply it."""
    before, result, position, kind = lines_of(old), list[str](), 0, ""
    for line in lines_of(diff)[2:]:
        if hunk := _HUNK.fullmatch(line):
            start = int(hunk[1]) - (hunk[2] != "0")
            result += before[position:start]
            position = start
        elif line.startswith("\\"):
            result[-1:] = [result[-1].removesuffix("\n")] if kind != "-" else result[-1:]
        else:
            kind = line[0]
            result += [line[1:]] if kind in " +" else []
            position += kind in " -"
    return "".join([*result, *before[position:]])


@given(old=TEXTS, new=TEXTS)
def test_a_difference_applied_to_the_old_text_gives_the_new_one(old: str, new: str) -> None:
    diff = unified(old, new, "/a", "/b")
    assert diff is not None
    assert applied(old, diff) == new


def test_what_differs_in_too_much_is_not_compared() -> None:
    old, new = ("\n".join(f"{side}{number}" for number in range(3000)) for side in "ab")
    assert unified(old, new, "/a", "/b") is None
    changed = old + "\nmore"
    assert unified(old, changed, "/a", "/b")


def test_binary_contents_are_no_text() -> None:
    assert as_text(b"\x89PNG\0") is None
    assert as_text("ü\n".encode("utf-16")) == "ü\n"
    assert as_text(b"\xef\xbb\xbfx\xff") == "x\ufffd"


@given(text=TEXTS, first=st.integers(1, 40), most=st.integers(1, 40))
def test_excerpts_are_the_lines_that_were_asked_for(text: str, first: int, most: int) -> None:
    lines = lines_of(text)
    if first > max(len(lines), 1):
        with pytest.raises(Refusal):
            excerpt(text, first, most)
        return
    shown = excerpt(text, first, most)
    assert shown["content"] == "".join(lines[first - 1 : first - 1 + most])
    assert bool(shown.get("more")) is (first - 1 + most < len(lines))


def test_an_excerpt_ends_before_it_is_too_long_and_says_where() -> None:
    line = "x" * 39_999 + "\n"
    shown = excerpt(line * 4, 1, 10)
    assert (shown["lines"], shown["more"], len(shown["content"])) == ("1-2 of 4", "For more, pass firstLine=3.", 80_000)
    assert len(excerpt("x" * 2 * LONGEST_TEXT, 1, 10)["content"]) == LONGEST_TEXT
