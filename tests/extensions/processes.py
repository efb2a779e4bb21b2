"""Whether processes have ended."""

from __future__ import annotations

import asyncio
from pathlib import Path


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except OSError:
        return False


async def gone(pid: int) -> None:
    """Wait until a process has ended, of which nothing tells that is none of ours."""
    async with asyncio.timeout(10):
        while is_there(pid):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def all_gone(pids: list[int]) -> None:
    await asyncio.gather(*map(gone, pids))
