"""Rounds numbers to orders of magnitude, because exact numbers change too fast to be approved."""

from __future__ import annotations


def about(number: float) -> str:
    """Return an order of magnitude, such as `10 to 99`.

    For example, the length of a busy queue changes all the time, but the result changes only if the length changes a
    lot.
    """
    whole = int(number)
    if whole <= 0:
        return "none"
    least = 10 ** (len(str(whole)) - 1)
    return f"{least:,} to {least * 10 - 1:,}"
