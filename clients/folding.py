"""Compares names, ignoring case."""

from __future__ import annotations


def folded(name: str) -> str:
    """Convert a name to lowercase for comparison.

    Letters are converted one by one, as services do. A letter is converted only if the conversion is reversible,
    because some conversions change the number of letters.
    """
    if name.isascii():
        return name.lower()
    return "".join(letter.lower() if letter.lower().upper() == letter else letter for letter in name)
