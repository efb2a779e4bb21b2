"""An event loop that does not wait: when nothing is left to do, its clock leaps to the next timer."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any, Final

# A request to a fake in the same process, or to a thread, is under way for no longer than this.
_QUIET: Final = 0.3


class _Selector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.leapt = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= _QUIET:
            return super().select(timeout)
        found = super().select(_QUIET)
        if not found:
            self.leapt += timeout
        return found


class LeapingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._own = _Selector()
        super().__init__(self._own)

    def time(self) -> float:
        return super().time() + self._own.leapt


LEAPING: Final[tuple[str, dict[str, Any]]] = ("asyncio", {"loop_factory": LeapingLoop})
