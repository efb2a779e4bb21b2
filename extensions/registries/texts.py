"""Texts that strangers wrote: cut to a length, and without what cannot be sent or seen."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

_LONGEST_LINE: Final = 300
_LONGEST_WORDS: Final = 1000
# Controls, marks that turn the direction of a text, halves of pairs, and what has no meaning for all.
_UNSEEN: Final = {"Cc", "Cf", "Cs", "Co", "Cn"}


def _cut(text: Any, longest: int) -> Any:
    if text is None:
        return ""
    if not isinstance(text, str):
        return text
    seen = "".join(" " if unicodedata.category(one) in _UNSEEN else one for one in text[: 2 * longest])
    return " ".join(seen.split())[:longest]


def _line(text: Any) -> Any:
    return _cut(text, _LONGEST_LINE)


def _words(text: Any) -> Any:
    return _cut(text, _LONGEST_WORDS)


Line = Annotated[str, BeforeValidator(_line)]
Words = Annotated[str, BeforeValidator(_words)]
