"""Small pieces of the sentences that callers read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

_LISTED: Final = 40


def nearest(name: str, valid: Sequence[str]) -> str:
    """A sentence with the names that look most like this one, or nothing where none does."""
    found = nearest_names(name, valid)
    return f" Did you mean {' or '.join(map(repr, found))}?" if found else ""


def nearest_names(name: str, valid: Sequence[str]) -> list[str]:
    # Long names cost the comparison quadratic time, and nobody mistypes one that long.
    by_lowered = {entry.lower(): entry for entry in valid}
    found = difflib.get_close_matches(name[:100].lower(), by_lowered, n=3, cutoff=0.5)
    return [by_lowered[entry] for entry in found]


def speakable(text: str) -> str:
    """The text without what cannot be sent: JSON can spell halves of surrogate pairs, UTF-8 cannot."""
    return text.encode(errors="replace").decode()


def listing(names: Iterable[str], most: int = _LISTED) -> str:
    names = list(names)
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
