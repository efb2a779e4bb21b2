"""Cutting a text to a length, between words."""

from __future__ import annotations

import re

_LAST_WORD = re.compile(r"\s\S*\Z")


def shortened(text: str, length: int) -> str:
    """The first words, at most `length` characters with the ellipsis that tells there is more."""
    if len(text) <= length:
        return text
    start = text[:length]
    cut = _LAST_WORD.search(start)
    return (start[: cut.start()].rstrip() if cut else start[:-1]) + "…"
