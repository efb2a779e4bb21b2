"""Rounds numbers to orders of magnitude. An exact number could change while a preview waits for approval."""

from __future__ import annotations


def about(number: float) -> str:
    """Return an order of magnitude, such as `10 to 99`.

    The length of a busy queue, for example, changes all the time, but its order of magnitude rarely does.
    """
    whole = int(number)
    if whole <= 0:
        return "none"
    least = 10 ** (len(str(whole)) - 1)
    return f"{least:,} to {least * 10 - 1:,}"
