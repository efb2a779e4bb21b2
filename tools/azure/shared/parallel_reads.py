"""Runs several reads for one answer at the same time. If a read fails, the answer says what is missing and why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from clients.side_by_side import side_by_side


async def gathered(reads: Mapping[str, Callable[[], Awaitable[Any]]]) -> tuple[dict[str, Any], Any]:
    """Run several reads at the same time. Return the results in the order of the reads, and a note on failed reads."""
    found: dict[str, Any] = {}

    async def ask(name: str) -> None:
        found[name] = await reads[name]()

    reading = await side_by_side({name: name for name in reads}, ask)
    return {name: found[name] for name in reads if name in found}, reading.said("parts").get("notRead")
