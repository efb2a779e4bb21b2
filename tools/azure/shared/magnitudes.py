"""Numbers that change all the time, as somebody can agree to them: how many digits they have, and not which."""

from __future__ import annotations


def about(number: float) -> str:
    """Such as `10 to 99`. It stays the same while a queue is in use, unless there is much more or less in it."""
    whole = int(number)
    if whole <= 0:
        return "none"
    least = 10 ** (len(str(whole)) - 1)
    return f"{least:,} to {least * 10 - 1:,}"
