"""Splits KQL queries into the same tokens as Azure does. Queries that Azure could split differently are rejected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from invisible import VISIBLE_LETTER
from refusal import Refusal

# The spaces that are allowed outside quotes. Azure also accepts other characters as spaces, some of them invisible.
_SPACE: Final = r"[ \t\r\n]"
_ESCAPE: Final = r"\\(?:[\\'\"abfnrtv]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{1,3})"
# Characters that some systems treat as line ends. A line end also ends a comment or a string.
_END: Final = r"\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029"
_TOKEN: Final = re.compile(
    rf"""(?P<space>{_SPACE}++)
      | (?P<comment>//[^{_END}]*+(?=[\r\n]|\Z))
      | (?P<text>@'(?:[^'{_END}]|'')*+'
               | @"(?:[^"{_END}]|"")*+"
               | '(?:[^'\\{_END}]|{_ESCAPE})*+'
               | "(?:[^"\\{_END}]|{_ESCAPE})*+"
               | @?(?P<fence>```|~~~)(?s:.*?)(?P=fence))
      | (?P<word>in~(?!\w) | [$]?(?:{VISIBLE_LETTER}|[0-9])++)
      | (?P<sign>[=!]~ | [=!<>]= | /(?![/*]) | [()\[\]{{}}|.,:;+\-*%<>=!?&^])""",
    re.VERBOSE,
)
# Azure reads each of these words as one token, together with the parentheses after the word and everything in the
# parentheses.
_LITERALS: Final = frozenset(
    "bool boolean date datetime decimal double guid int int32 int64 long real time timespan uint uint32 uint64"
    " uuid".split()
)
_PLAIN_VALUE: Final = re.compile(r"\([ \t]*+(?:[\w.:+\- ,/]*+|'[\w.:+\- ,/]*+'|\"[\w.:+\- ,/]*+\")[ \t]*+\)")


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    end: int

    @property
    def word(self) -> str:
        """The word in lowercase; empty if the token is not a word."""
        return self.text.lower() if self.kind == "word" else ""


def tokens(query: str) -> list[Token]:
    """Split a query into tokens, without spaces and comments.

    Raises:
        Refusal: The query contains a character or a string that Azure may read differently.
    """
    found = list(_tokens(query))
    for token, following in pairwise(found):
        if token.word in _LITERALS and following.text == "(":
            _refuse_hiding(query, token, following)
    return found


def _tokens(query: str) -> Iterator[Token]:
    place = 0
    while place < len(query):
        found = _TOKEN.match(query, place)
        if not found:
            raise Refusal(_unreadable(query, place))
        place = found.end()
        if found.lastgroup not in {"space", "comment"}:
            yield Token(str(found.lastgroup), found[0], place)


def _refuse_hiding(query: str, token: Token, bracket: Token) -> None:
    """Reject a literal that is not one plain value, because another parser could read a part of this literal as a
    string or comment.
    """
    value = _PLAIN_VALUE.match(query, bracket.end - 1)
    if not value or "//" in value[0]:
        raise Refusal(f"{token.text}(...) must contain one plain value, for example datetime(2026-01-31).")


def _unreadable(query: str, place: int) -> str:
    character = query[place]
    if query.startswith("//", place):
        return (
            f"The comment at character {place + 1} of the query contains a character that ends a line."
            " Remove this character."
        )
    if query.startswith("/*", place):
        return f"Kusto does not support the comment syntax at character {place + 1} of the query. Use // instead."
    if character in "'\"`~@":
        return (
            f"The string at character {place + 1} of the query is not closed. Close the string on the same line."
            " Double each backslash, or write the string as in @'\\d+'."
        )
    return (
        f"U+{ord(character):04X} at character {place + 1} of the query may only be used within quotes."
        " Remove this character."
    )
