"""Numbers in order, like `itertools.count`, for fakes that are copied with what they have created."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(slots=True)
class Numbering(Iterator[int]):
    last: int = 0

    def __next__(self) -> int:
        self.last += 1
        return self.last
