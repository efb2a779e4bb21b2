"""Orders of magnitude for numbers that change too fast to be approved exactly."""

from __future__ import annotations


def about(number: float) -> str:
    """For example `10 to 99`. Stable while a queue is in use, unless its length changes a lot."""
    whole = int(number)
    if whole <= 0:
        return "none"
    least = 10 ** (len(str(whole)) - 1)
    return f"{least:,} to {least * 10 - 1:,}"
