"""Shortens text at word boundaries."""

from __future__ import annotations

import re

_UP_TO_LAST_WORD = re.compile(r"(.*)\s", re.DOTALL)


def shortened(text: str, length: int) -> str:
    """Return the first words of the text, at most `length` characters, with an ellipsis if words are missing."""
    if len(text) <= length:
        return text
    start = text[:length]
    whole = _UP_TO_LAST_WORD.match(start)
    return (whole[1].rstrip() if whole else start[:-1]) + "…"
