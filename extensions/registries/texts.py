"""Cleans untrusted texts: truncates them, and removes characters that cannot be sent or seen."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from invisible import without_invisible

_LONGEST_LINE: Final = 300
_LONGEST_WORDS: Final = 1000


def _cut(text: Any, longest: int) -> Any:
    if text is None:
        return ""
    if not isinstance(text, str):
        return text
    seen = without_invisible(text[: 2 * longest], instead=" ")
    return " ".join(seen.split())[:longest]


def _line(text: Any) -> Any:
    return _cut(text, _LONGEST_LINE)


def _words(text: Any) -> Any:
    return _cut(text, _LONGEST_WORDS)


Line = Annotated[str, BeforeValidator(_line)]
Words = Annotated[str, BeforeValidator(_words)]
