"""Names of services that make no difference between letters and capitals."""

from __future__ import annotations


def folded(name: str) -> str:
    """A name as it compares: without its case.

    Letter by letter, as services do it: what makes two letters of one, or one of two alphabets, changes the name.
    """
    return "".join(letter.lower() if letter.lower().upper() == letter else letter for letter in name)
