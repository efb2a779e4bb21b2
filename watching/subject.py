"""What a watch looks at: each kind says where a watch begins, and what is new since its last look."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic_core import from_json, to_json

from refusal import Refusal
from watching.news import WatchNews
from watching.watch import Watch

# What a kind of watch remembers of its last look.
NOTHING: Final = b""


class WatchFailsError(Refusal):
    """The watch cannot work any more until somebody changes something. All other failures pass."""


@dataclass(frozen=True, slots=True)
class WatchFindings:
    """What one look found. `cursor` and `memory` are what the next look goes on from."""

    news: Sequence[WatchNews]
    memory: bytes
    cursor: int = 0
    # How many updates or retirements are watched now.
    count: int = 0
    # Whether there is nothing more to tell at once.
    is_all: bool = True


class WatchSubject(Protocol):
    async def begin(self, watch: Watch) -> WatchFindings:
        """Where a watch begins: nothing that is there already is news.

        Raises:
            Refusal: There cannot be such a watch, or not now.
        """

    async def look(self, watch: Watch, memory: bytes) -> WatchFindings | None:
        """What is new since the last look; nothing where nothing can have changed since.

        Raises:
            WatchFailsError: Somebody has to change something.
            Refusal: It could not be found out now.
        """


def remembered(value: Any) -> bytes:
    return zlib.compress(to_json(value))


def recalled(memory: bytes) -> Any:
    return from_json(zlib.decompress(memory)) if memory else None
