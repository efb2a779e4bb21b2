"""The same work done by several at once, for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def together(work: Callable[[], Awaitable[None]], number: int, seconds: float) -> None:
    """Let some do the same work; nobody works on after the time, or after one has failed or the caller has left."""
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
