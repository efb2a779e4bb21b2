"""Limits how much of a resource each owner can use at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from threading import Lock


class Shares:
    """Gives each owner a limited number of shares. Any thread may return a share."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()

    def take(self, owner: Hashable) -> Callable[[], None] | None:
        """Take a share. Returns the function that releases the share; None if no share is left for this owner."""
        with self._lock:
            if self._taken[owner] >= self._most:
                return None
            self._taken[owner] += 1
        return partial(self._give_back, owner)

    def _give_back(self, owner: Hashable) -> None:
        with self._lock:
            self._taken[owner] -= 1
            if not self._taken[owner]:
                del self._taken[owner]
