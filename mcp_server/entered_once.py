"""Entering once what several are about to enter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager


class EnteredOnce:
    """The first who enters opens it, the last who leaves closes it; in between all have the same.

    They enter and leave one after the other, in one task.
    """

    def __init__(self, open_it: Callable[[], AbstractAsyncContextManager[object]]) -> None:
        self._open = open_it
        self._opened = AsyncExitStack()
        self._inside = 0
        self._value: object = None

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[object]:
        if not self._inside:
            self._value = await self._opened.enter_async_context(self._open())
        self._inside += 1
        try:
            yield self._value
        finally:
            self._inside -= 1
            if not self._inside:
                await self._opened.aclose()
