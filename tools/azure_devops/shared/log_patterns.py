"""Search patterns for logs: regular expressions that match in linear time, or plain text."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic_core import SchemaError, SchemaValidator, core_schema

from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.log_lines import LONGEST_SHOWN, readable_line, shortened

PatternText = Annotated[str | None, Field(max_length=200, description="Regex or text")]
Context = Annotated[int, Field(ge=0, le=20, description="Lines around a match")]

_ANY_CASE: Final = "(?i)"
# The maximum number of parts in a pattern after expanding its repetitions. Larger patterns take microseconds per
# character of a log.
_LARGEST: Final = 500
# The maximum work per line: the number of characters times the number of parts of the pattern. Other requests wait
# while a line is searched.
_MOST_AT_ONCE: Final = 5_000_000
# Character classes that cover all of Unicode take more time than other classes.
_MANY_LETTERS: Final = (r"\w", r"\W", r"\p", r"\P")
_LETTERS: Final = 10
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_PARTS: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<least>\d+)(?:,(?P<most>\d*))?\}|.", re.DOTALL)
_MISTAKE: Final = re.compile(r"regex parse error:\n {4}.*\n {4}(?P<before> *)\^.*\n(?:.*\n){0,9}?error: (?P<what>.+)")


class LinePattern:
    """Finds lines with pydantic's `regex` crate, which never backtracks."""

    def __init__(self, text: str) -> None:
        """Parse a pattern.

        Raises:
            Refusal: The pattern is invalid or too large. The message says where the error is.
        """
        if not text.strip() or _CONTROL.search(text):
            raise Refusal("`pattern` must be a single line without control characters.")
        self.size = _size(text)
        self._texts = _texts(text.casefold())
        self._matches = _compiled(text, self.size).isinstance_python

    def find(self, line: str) -> str | None:
        """If the pattern matches a line, return the part of the line to show. Plain text can also match the timestamp
        of the line.
        """
        bare = readable_line(line)
        if len(bare) > LONGEST_SHOWN:
            return self._find_in_long(bare)
        return bare if self._matches(bare) or self._place(line) >= 0 or self._place(bare) >= 0 else None

    def _find_in_long(self, whole: str) -> str | None:
        if (place := self._place(whole)) >= 0:
            return shortened(whole, max(place - LONGEST_SHOWN // 2, 0))
        line = whole[: _MOST_AT_ONCE // self.size]
        if not self._matches(line):
            return None
        step = LONGEST_SHOWN // 2
        near = (start for start in range(0, len(line), step) if self._matches(line[start : start + LONGEST_SHOWN]))
        return shortened(whole, next(near, 0))

    def _place(self, text: str) -> int:
        """Search a line for the pattern as plain text. Return the position, or -1."""
        folded = text.casefold()
        for text_to_find in self._texts:
            if (place := folded.find(text_to_find)) >= 0:
                return place
        return -1


def _compiled(text: str, size: int) -> SchemaValidator:
    if size > _LARGEST:
        raise Refusal(
            f"`pattern` is too large: with repetitions expanded, it has {size} parts. The limit is {_LARGEST}."
        )
    try:
        return SchemaValidator(core_schema.str_schema(pattern=_ANY_CASE + text, regex_engine="rust-regex"))
    except SchemaError as error:
        raise Refusal(_in_words(text, str(error))) from None


def _in_words(text: str, error: str) -> str:
    found = _MISTAKE.search(error)
    if not found:
        return "`pattern` is too complex as a regular expression: simplify it."
    place = len(found["before"]) - len(_ANY_CASE)
    rest = text[place : place + 20]
    where = f"at character {place + 1}, {rest!r}" if rest else "at its end"
    return f"`pattern` is not a valid regular expression {where}: {found['what']}. Escape literal characters with \\."


def _texts(pattern: str) -> list[str]:
    """Split a pattern into its alternatives. Each alternative is searched for as plain text: ##[error], for example, is
    not a character class.
    """
    parts = [pattern] if "(" in pattern else pattern.split("|")
    return [part for part in parts if part.strip()]


def _size(pattern: str) -> int:
    """Count the parts of a pattern after expanding its repetitions."""
    groups, last = [0], 0
    for part in _PARTS.finditer(pattern):
        if part[0] == "(":
            groups.append(0)
            continue
        if part[0] == ")" and len(groups) > 1:
            last = groups.pop()
            groups[-1] += last
        elif part["least"]:
            times = max(int(part["most"] or part["least"]), 1)
            groups[-1] += last * (times - 1)
            last *= times
        else:
            last = _LETTERS if any(letters in part[0] for letters in _MANY_LETTERS) else 1
            groups[-1] += last
    return max(sum(groups), 1)
