"""Who may have how much of something at once, so that nobody can have it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from threading import Lock


class Shares:
    """So many for each owner. They may be given back from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()

    def take(self, owner: Hashable) -> Callable[[], None] | None:
        """Return what gives the share back; nothing where the owner has all that it may have."""
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
