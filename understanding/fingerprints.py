"""Creates and compares text embeddings of 64 bytes, without numpy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from operator import mul
from typing import Final

from understanding.vectors import dot, from_lanes, in_lanes
from understanding.word_table import DIMENSIONS, word_table

BYTES: Final = DIMENSIONS // 2
# Vectors have length 1. Each dimension is stored in four bits, which represent values from -_REACH to _REACH.
_REACH, _MIDDLE, _MOST = 0.25, 7.5, 15
_STEPS: Final = _MIDDLE / _REACH
_MOST_WORDS: Final = 100_000
_WORDS_KEPT: Final = 4_096
_EXACTNESS: Final = 1_000
_HEX: Final = b"0123456789abcdef"
_FROM_HEX: Final = bytes.maketrans(_HEX, bytes(range(16)))
# The offset that makes all quantized values non-negative.
_BELOW: Final = 32
_TO_HEX: Final = bytes(_HEX[min(max(step - _BELOW, 0), _MOST)] for step in range(256))


def fingerprint(words: Iterable[str]) -> bytes:
    """Return the embedding of these words. If no word is known, all bytes are zero."""
    weights, lanes = _sum_of(words)
    middle = _MIDDLE * weights
    # The squared length of the centered vector. Centering each dimension first would be slower.
    square = dot(lanes, lanes) - middle * (2 * sum(lanes) - DIMENSIONS * middle)
    if not square:
        return bytes(BYTES)
    scale = _STEPS / math.sqrt(square)
    start = _BELOW + _MIDDLE + 0.5 - middle * scale
    steps = bytes([int(lane * scale + start) for lane in lanes])
    return bytes.fromhex(steps.translate(_TO_HEX).decode())


class Likeness:
    """Compares the meaning of some words with stored embeddings."""

    def __init__(self, words: Iterable[str]) -> None:
        # Integers make the sums exact. Multiplying these integers by the values of bytes creates no floats.
        self._parts = [round(part * _EXACTNESS) for part in _direction(words)]
        self._middle = _MIDDLE * sum(self._parts)
        self.is_known = bool(self._parts)

    def to_each(self, stored: bytes) -> list[float]:
        """Return the approximate cosine similarities to several embeddings, which are stored one after the other."""
        parts = self._parts
        dimensions = _dimensions(stored)
        each = [dimensions[start : start + DIMENSIONS] for start in range(0, len(dimensions), DIMENSIONS)]
        return self._cosines([dot(parts, one) for one in each])

    def to_group(self, group: FingerprintGroup) -> list[float]:
        """Return the same similarities as `to_each`, for a group of embeddings. This is faster if many texts are
        compared with the same group.
        """
        return self._cosines(group.sums_of_products(self._parts))

    def _cosines(self, sums: Iterable[float]) -> list[float]:
        middle, scale = self._middle, _STEPS * _EXACTNESS
        return [(one - middle) / scale for one in sums]


class FingerprintGroup:
    """A group of embeddings, for comparisons with many texts. For each dimension, one large integer stores the values
    of all embeddings.
    """

    def __init__(self, stored: bytes) -> None:
        dimensions = _dimensions(stored)
        self._columns = [in_lanes(dimensions[start::DIMENSIONS]) for start in range(DIMENSIONS)]
        self._sum = sum(self._columns)
        self._size = len(stored) // BYTES

    def sums_of_products(self, parts: Sequence[int]) -> list[int]:
        """For each embedding, return its dot product with these values."""
        # Packed values must not become negative, so an offset is added to each factor and subtracted at the end.
        added = max(0, -min(parts))
        total = sum(map(mul, self._columns, [part + added for part in parts]))
        sums, excess = from_lanes(total, self._size), from_lanes(added * self._sum, self._size)
        return [one - more for one, more in zip(sums, excess, strict=True)]


def _direction(words: Iterable[str]) -> Sequence[float]:
    """Return the sum of the word vectors, scaled to length 1. The result is empty if no word is known."""
    weights, lanes = _sum_of(words)
    centred = [lane - _MIDDLE * weights for lane in lanes]
    length = math.hypot(*centred)
    return [part / length for part in centred] if length else []


def _sum_of(words: Iterable[str]) -> tuple[int, Sequence[int]]:
    """Return the sum of these words' weights, and the weighted sum of their vectors."""
    total = sum(map(_weighted, islice(words, _MOST_WORDS)))
    weights, *lanes = from_lanes(total, 1 + DIMENSIONS)
    return weights, lanes


@lru_cache(maxsize=_WORDS_KEPT)
def _weighted(word: str) -> int:
    """Return a word's weight and weighted vector, packed into one integer, so that one addition adds all values."""
    entry = word_table().kept(word)
    return entry.telling * in_lanes(b"\1" + _dimensions(entry.row)) if entry else 0


def _dimensions(stored: bytes) -> bytes:
    """Unpack embeddings from four bits to one byte per dimension."""
    return stored.hex().encode().translate(_FROM_HEX)
