"""Opens a resource on first use, and keeps it open until the process ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

T = TypeVar("T")


class KeptOpen(Generic[T]):
    """Opens a resource once, even if several requests need it at the same time.

    If opening the resource fails, the next request tries again.
    """

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._opening = opening
        self._task: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[T] | None = None

    async def get(self) -> T:
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(self._opened))
        return self._opened.result() if self._opened.done() else await asyncio.shield(self._opened)

    async def _hold(self, opened: asyncio.Future[T]) -> None:
        # Keep this task alive, because the task that entered the context manager must also exit it.
        try:
            async with self._opening() as value:
                opened.set_result(value)
                await asyncio.Event().wait()
        except Exception as failure:
            if opened.done():
                raise
            opened.set_exception(failure)
        finally:
            self._opened = None
