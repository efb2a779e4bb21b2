"""Loads word embeddings: a table of vectors in which words with similar meanings have similar directions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from understanding.vectors import Vector, unit

DIMENSIONS: Final = 128
# The number of bytes of a vector. Each byte stores two dimensions.
_ROW: Final = DIMENSIONS // 2
TABLE: Final = Path(__file__).with_name("words.bin")
# Each byte stores two dimensions of a vector. For every possible byte, this table contains both values.
_PAIRS: Final = tuple((byte % 16 - 7.5, byte // 16 - 7.5) for byte in range(256))
_SHORTEST_PLURAL: Final = 4


class KeptWord(NamedTuple):
    """A word's weight, and its vector with four bits per dimension."""

    telling: int
    row: bytes


class WordTable:
    """Sorted words with their weights and vectors."""

    def __init__(self, stored: bytes) -> None:
        count, size = int.from_bytes(stored[:4], "little"), int.from_bytes(stored[4:8], "little")
        self._words = stored[8 : 8 + size].decode("ascii").split("\n")
        self._telling = stored[8 + size : 8 + size + count]
        self._rows = stored[8 + size + count :]

    def vector(self, words: Iterable[str]) -> Vector:
        """Return the embedding of these words, as a vector of length 1, or of length 0 if no word is known."""
        known = [(self._telling[at], self._row(at)) for word in words if (at := self._place(word)) is not None]
        if not known:
            return [0.0] * DIMENSIONS
        return unit(
            [sum(parts) for parts in zip(*([weight * part for part in row] for weight, row in known), strict=True)]
        )

    def telling(self, word: str) -> int:
        """Return the weight of a word, up to 255. Words that the table does not contain are rare, so their weight is
        high.
        """
        at = self._place(word)
        return 255 if at is None else self._telling[at]

    def kept(self, word: str) -> KeptWord | None:
        """Return the table entry of a word, or None if the table does not contain the word."""
        at = self._place(word)
        return None if at is None else KeptWord(self._telling[at], self._rows[at * _ROW : (at + 1) * _ROW])

    def _place(self, word: str) -> int | None:
        at = self._exact(word)
        if at is None and len(word) >= _SHORTEST_PLURAL and word.endswith("s"):
            at = self._exact(word[:-1])
        return at

    def _exact(self, word: str) -> int | None:
        at = bisect_left(self._words, word)
        return at if at < len(self._words) and self._words[at] == word else None

    def _row(self, at: int) -> Vector:
        return list(chain.from_iterable(map(_PAIRS.__getitem__, self._rows[at * _ROW : (at + 1) * _ROW])))


@cache
def word_table() -> WordTable:
    """Return the word table of this package. The table is loaded on first use."""
    return WordTable(TABLE.read_bytes())
