"""The words of a query, with where each stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Kind(Enum):
    NAME = auto()
    TEXT = auto()
    NUMBER = auto()
    SPAN = auto()
    MOMENT = auto()
    SIGN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Word:
    kind: Kind
    text: str
    at: int


class QueryError(Exception):
    """A query that cannot be run. One that cannot be read says where: line and column, and the word there."""

    def __init__(self, code: str, message: str, place: tuple[int, int, str] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.place = code, message, place


_WORDS: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<moment>datetime\s*\(\s*[\d][^)]*\))
      | (?P<text>@'[^']*'|@"[^"]*"|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<span>\d+(?:\.\d+)?(?:d|h|m|s|ms)\b)
      | (?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)
      | (?P<name>\$?[A-Za-z_]\w*)
      | (?P<sign>!(?:in~|(?:in|between|(?:has|contains|startswith|endswith)(?:_cs)?)\b)
          |=~|!~|==|!=|<>|<=|>=|\.\.|[-~|(){}\[\],.;=<>+*/%:])""",
    re.VERBOSE,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}


def words_of(query: str) -> list[Word]:
    return [*_read(query), Word(Kind.END, "<EOF>", len(query))]


def place_of(query: str, word: Word) -> tuple[int, int, str]:
    before = query[: word.at]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1), word.text


def _read(query: str) -> Iterator[Word]:
    at = 0
    while at < len(query):
        found = _WORDS.match(query, at)
        if found is None:
            raise QueryError("ParserFailure", "ParserFailure", place_of(query, Word(Kind.SIGN, query[at], at)))
        if found.lastgroup != "space":
            yield _word(str(found.lastgroup), found[0], at)
        at = found.end()


def _word(group: str, text: str, at: int) -> Word:
    kind = Kind[group.upper()]
    if kind is Kind.TEXT:
        return Word(kind, _unquoted(text), at)
    if kind is Kind.MOMENT:
        return Word(kind, text.partition("(")[2].rstrip(") "), at)
    return Word(kind, text, at)


def _unquoted(text: str) -> str:
    if text.startswith("@"):
        return text[2:-1]
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1])
