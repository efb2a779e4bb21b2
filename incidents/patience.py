"""How long one question may take altogether: a source that hangs costs the answer no more than that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Self

SECONDS: Final = 3
MOST_SECONDS: Final = 15
# So much of what is left may be spent on each step before the sources are asked.
_SHARE: Final = 1 / 3
# Steps before the sources that fell back on slower ways leave them at least this.
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
        """For one step of several."""
        return self.left * _SHARE

    @property
    def why(self) -> str:
        """Why something was not read."""
        longer = "" if self.seconds >= MOST_SECONDS else " wait_seconds allows more."
        return f"It did not answer within {self.seconds:g} s.{longer}"
