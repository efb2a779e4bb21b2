"""A clock that a test turns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now
