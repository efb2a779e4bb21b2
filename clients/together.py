"""Runs the same function in several tasks for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def together(work: Callable[[], Awaitable[None]], number: int, seconds: float) -> None:
    """Run a function in several tasks. Stop when the time is up, a task fails, or the calling task is canceled."""
    if not number:
        return
    workers = [asyncio.ensure_future(work()) for _ in range(number)]
    try:
        done, _ = await asyncio.wait(workers, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        for worker in done:
            worker.result()
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
