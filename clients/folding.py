"""Compares names that are not case-sensitive."""

from __future__ import annotations


def folded(name: str) -> str:
    """A name without its case, for comparison.

    Letter by letter, as services compare: mappings that change the number of letters would change the name.
    """
    return "".join(letter.lower() if letter.lower().upper() == letter else letter for letter in name)
