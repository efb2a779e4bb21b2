"""A cache for values that can be reused for a short time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from time import monotonic
from typing import Any, Final, TypeVar

V = TypeVar("V")

SECONDS_KEPT: Final = 300.0
_MOST: Final = 256


class Kept:
    """Caches values by key. Callers who can see different values must use different keys."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._values: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()

    async def get(self, key: Hashable, read: Callable[[], Awaitable[V]], *, at_most: float = SECONDS_KEPT) -> V:
        """Return the cached value if it is at most `at_most` seconds old. Otherwise, read and cache the value."""
        until, value = self._values.get(key, (0.0, None))
        if key in self._values and self._clock() - until <= at_most:
            return value  # type: ignore[no-any-return]  # a key has one type of value
        value = await read()
        self.put(key, value)
        return value

    def forget(self, *beginning: Hashable) -> None:
        """Remove all values whose keys start with these parts."""
        size = len(beginning)
        for key in [one for one in self._values if isinstance(one, tuple) and one[:size] == beginning]:
            del self._values[key]

    def put(self, key: Hashable, value: Any) -> None:
        """Store a value that was just read."""
        self._values[key] = (self._clock(), value)
        self._values.move_to_end(key)
        while len(self._values) > _MOST:
            self._values.popitem(last=False)
