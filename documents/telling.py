"""How whoever waits is told how far it is."""

from __future__ import annotations

from collections.abc import Callable

# What is being done, how much of it is done, and of how much, where that is known.
Tell = Callable[[str, int, int | None], None]


def tell_nobody(_words: str, _done: int, _of: int | None) -> None:
    """Nobody wants to know how far it is."""
