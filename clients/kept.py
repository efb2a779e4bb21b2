"""What was read a short while ago, so that it need not be read again at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from time import monotonic
from typing import Any, Final, TypeVar

V = TypeVar("V")

SECONDS_KEPT: Final = 300.0
_MOST: Final = 256


class Kept:
    """Values by their keys. Whoever may not see the same things must not come with the same key."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._values: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()

    async def get(self, key: Hashable, read: Callable[[], Awaitable[V]], *, at_most: float = SECONDS_KEPT) -> V:
        """The value, which is read where it is not kept, or was read more than some seconds ago."""
        until, value = self._values.get(key, (0.0, None))
        if key in self._values and self._clock() - until <= at_most:
            return value  # type: ignore[no-any-return]  # a key has one kind of values
        value = await read()
        self.put(key, value)
        return value

    def forget(self, *beginning: Hashable) -> None:
        """Forget whatever is kept by a key that begins so."""
        size = len(beginning)
        for key in [one for one in self._values if isinstance(one, tuple) and one[:size] == beginning]:
            del self._values[key]

    def put(self, key: Hashable, value: Any) -> None:
        """Keep what is known of it now."""
        self._values[key] = (self._clock(), value)
        self._values.move_to_end(key)
        while len(self._values) > _MOST:
            self._values.popitem(last=False)
