"""The time limit of an incident query. A slow source cannot delay the answer beyond this limit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Self

SECONDS: Final = 3
MOST_SECONDS: Final = 15
# Before the event sources are queried, each step may use this share of the remaining time.
_SHARE: Final = 1 / 3
# Even if these steps are slow, at least this many seconds remain for the event sources.
_LEAST: Final = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    seconds: float
    until: float

    @classmethod
    def of(cls, seconds: float) -> Self:
        return cls(seconds, asyncio.get_running_loop().time() + seconds)

    @property
    def left(self) -> float:
        return max(self.until - asyncio.get_running_loop().time(), _LEAST)

    @property
    def share(self) -> float:
        """The time limit for one of several steps."""
        return self.left * _SHARE

    @property
    def why(self) -> str:
        """The message about a source that did not respond in time."""
        longer = "" if self.seconds >= MOST_SECONDS else " Increase wait_seconds to wait longer."
        return f"No answer within {self.seconds:g} s.{longer}"
