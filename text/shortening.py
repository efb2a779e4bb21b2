"""Shortens a text between words."""

from __future__ import annotations

import re

_UP_TO_LAST_WORD = re.compile(r"(.*)\s", re.DOTALL)


def shortened(text: str, length: int) -> str:
    """The first words, at most `length` characters, ending with an ellipsis if shortened."""
    if len(text) <= length:
        return text
    start = text[:length]
    whole = _UP_TO_LAST_WORD.match(start)
    return (whole[1].rstrip() if whole else start[:-1]) + "…"
