"""Calculates with vectors, without numpy: loading numpy would take longer than all calculations together."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from operator import mul
from struct import Struct
from typing import Final

if sys.version_info >= (3, 12):
    from math import sumprod as dot
else:

    def dot(one: Iterable[float], other: Iterable[float]) -> float:
        return float(sum(map(mul, one, other)))


Vector = Sequence[float]

# Four bytes per lane are enough for the weighted sum of all words of a text.
LANE_BYTES: Final = 4


def unit(vector: Vector) -> Vector:
    length = math.hypot(*vector)
    return [part / length for part in vector] if length else vector


def in_lanes(values: bytes) -> int:
    """Pack small numbers into one integer, so that a single operation applies to all of them."""
    lanes = bytearray(len(values) * LANE_BYTES)
    lanes[::LANE_BYTES] = values
    return int.from_bytes(lanes, "little")


def from_lanes(packed: int, count: int) -> Sequence[int]:
    return Struct(f"<{count}I").unpack(packed.to_bytes(count * LANE_BYTES, "little"))
