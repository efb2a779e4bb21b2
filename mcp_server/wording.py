"""Texts that occur in messages to callers."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

_LISTED: Final = 40


def nearest(name: str, valid: Sequence[str]) -> str:
    """A sentence with the most similar names. Empty if no name is similar."""
    found = nearest_names(name, valid)
    return f" Did you mean {' or '.join(map(repr, found))}?" if found else ""


def nearest_names(name: str, valid: Sequence[str]) -> list[str]:
    # Compare only the start of a long name, because comparing takes quadratic time.
    by_lowered = {entry.lower(): entry for entry in valid}
    found = difflib.get_close_matches(name[:100].lower(), by_lowered, n=3, cutoff=0.5)
    return [by_lowered[entry] for entry in found]


def speakable(text: str) -> str:
    """The text without lone surrogates, which JSON can contain but UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()


def alternatives(names: Iterable[str]) -> str:
    """Two or more names, any of which is valid: `webhook, teams or slack`."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def listing(names: Iterable[str], most: int = _LISTED) -> str:
    names = list(names)
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
