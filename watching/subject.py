"""The subject of a watch: each kind defines where a watch starts and what is new since its last check."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic_core import from_json, to_json

from refusal import Refusal
from watching.news import WatchNews
from watching.watch import Watch

# What a kind of watch remembers from its last check.
NOTHING: Final = b""


class WatchFailsError(Refusal):
    """The watch cannot work until somebody fixes something. All other failures are temporary."""


@dataclass(frozen=True, slots=True)
class WatchFindings:
    """The result of one check. `cursor` and `memory` are the starting point of the next."""

    news: Sequence[WatchNews]
    memory: bytes
    cursor: int = 0
    # The number of updates or retirements watched now.
    count: int = 0
    # Whether there is nothing more to report now.
    is_all: bool = True


class WatchSubject(Protocol):
    async def begin(self, watch: Watch) -> WatchFindings:
        """The starting point of a watch: what exists already is not news.

        Raises:
            Refusal: The watch cannot be created, or not now.
        """

    async def look(self, watch: Watch, memory: bytes) -> WatchFindings | None:
        """What is new since the last check. None if nothing can have changed.

        Raises:
            WatchFailsError: The watch cannot work until somebody fixes it.
            Refusal: It cannot be checked now.
        """


def remembered(value: Any) -> bytes:
    return zlib.compress(to_json(value))


def recalled(memory: bytes) -> Any:
    return from_json(zlib.decompress(memory)) if memory else None
