"""The interface of watch kinds: each kind determines the starting point of a new watch, and finds news since the last
check.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic_core import from_json, to_json

from refusal import Refusal
from watching.news import WatchNews
from watching.watch import Watch

# The stored data of a watch that has no results yet.
NOTHING: Final = b""


class WatchFailsError(Refusal):
    """The watch cannot be checked until somebody fixes a problem. Failures with other exceptions are temporary."""


@dataclass(frozen=True, slots=True)
class WatchFindings:
    """The result of a check. The next check continues from `cursor` and `memory`."""

    news: Sequence[WatchNews]
    memory: bytes
    cursor: int = 0
    # How many updates or retirements currently match the watch.
    count: int = 0
    # Whether this check reported all news.
    is_all: bool = True


class WatchSubject(Protocol):
    async def begin(self, watch: Watch) -> WatchFindings:
        """Return the starting point of a new watch. The updates or retirements that exist now are not news.

        Raises:
            Refusal: The watch cannot be created at all, or cannot be created now.
        """

    async def look(self, watch: Watch, memory: bytes) -> WatchFindings | None:
        """Find news since the last check. Return None if nothing can have changed.

        Raises:
            WatchFailsError: The watch cannot be checked until somebody fixes a problem.
            Refusal: The watch cannot be checked at this time.
        """


def remembered(value: Any) -> bytes:
    return zlib.compress(to_json(value))


def recalled(memory: bytes) -> Any:
    return from_json(zlib.decompress(memory)) if memory else None
