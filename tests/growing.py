"""Texts on which a regular expression could take too long: made of what its own repetitions repeat."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Final

_REPEATS: Final = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_GROUPS: Final = (_constants.ASSERT, _constants.ASSERT_NOT)
_LONG: Final = 12
_MOST_PUMPS: Final = 24
_AT_THE_END: Final = ("", "\0", "\n\0")
# A text of one letter for each class of letters, as long as there is one.
_OF_CATEGORY: Final = {
    _constants.CATEGORY_DIGIT: "1",
    _constants.CATEGORY_NOT_DIGIT: "a",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_NOT_SPACE: "a",
    _constants.CATEGORY_WORD: "a",
    _constants.CATEGORY_NOT_WORD: " ",
}
_LETTERS: Final = "a1 -_./:'\"`\\()[]{}<>*#|~@,;=&%\t\nAZé"


def texts(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """For each repetition, a text that goes through it as often as is asked for and then does not fit."""
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    for before, repeated in islice(_pumps(tree, ""), _MOST_PUMPS):
        for end in _AT_THE_END:
            yield partial(_text, before, repeated, end)


def _text(before: str, repeated: str, end: str, times: int) -> str:
    return before + repeated * times + end


def _pumps(tree: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """What comes before each repetition without a small end, and what it repeats."""
    parts = list(tree)
    for place, (kind, value) in enumerate(parts):
        if kind in _REPEATS and value[1] >= _LONG:
            one = _example(value[2]) or "a"
            yield before, one
            following = _example(parts[place + 1 :])
            if following:
                yield before, one + following
            if place + 1 < len(parts):
                yield "", before + one + following[:1]
        for inner in _inside(kind, value):
            yield from _pumps(inner, before)
        before += _example([(kind, value)])


def _inside(kind: Any, value: Any) -> list[Any]:
    if kind in _REPEATS:
        return [value[2]]
    if kind is _constants.SUBPATTERN:
        return [value[3]]
    if kind is _constants.ATOMIC_GROUP:
        return [value]
    if kind is _constants.BRANCH:
        return list(value[1])
    return [value[1]] if kind in _GROUPS else []


def _example(tree: Iterable[Any]) -> str:
    return "".join(_one(kind, value) for kind, value in tree)


def _one(kind: Any, value: Any) -> str:  # noqa: PLR0911 - one for each kind
    if kind is _constants.LITERAL:
        return chr(value)
    if kind is _constants.NOT_LITERAL:
        return "b" if value == ord("a") else "a"
    if kind is _constants.ANY:
        return "a"
    if kind is _constants.IN:
        return str(_of_class(value))
    if kind is _constants.BRANCH:
        return _example(value[1][0])
    if kind in _REPEATS:
        return str(_example(value[2]) * max(1, min(value[0], 4)))
    inside = _inside(kind, value)
    return _example(inside[0]) if inside and kind not in _GROUPS else ""


def _of_class(members: list[Any]) -> str:
    if members[0][0] is _constants.NEGATE:
        return next((letter for letter in _LETTERS if not any(_has(one, letter) for one in members[1:])), "a")
    kind, value = members[0]
    if kind is _constants.LITERAL:
        return chr(value)
    return chr(value[0]) if kind is _constants.RANGE else str(_OF_CATEGORY.get(value, "a"))


def _has(member: Any, letter: str) -> bool:
    kind, value = member
    if kind is _constants.LITERAL:
        return bool(ord(letter) == value)
    if kind is _constants.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    is_of: dict[str, Callable[[str], bool]] = {
        "DIGIT": str.isdigit,
        "SPACE": str.isspace,
        "WORD": lambda one: one.isalnum() or one == "_",
    }
    name = str(value).removeprefix("CATEGORY_")
    return is_of[name.removeprefix("NOT_")](letter) != name.startswith("NOT_")


def seconds(work: Callable[[], object]) -> float:
    """The processor time of this thread: other processes take nothing of it."""
    began = time.thread_time()
    work()
    return time.thread_time() - began
