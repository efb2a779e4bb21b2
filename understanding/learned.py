"""Loads the learned model. For each tool, the model predicts the probability that a sentence asks for it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from understanding.features import buckets_of, said, words_of
from understanding.vectors import Vector, dot, from_lanes, in_lanes
from understanding.word_table import word_table

# The label of requests that no tool can handle.
NOTHING: Final = ""
# Signed bytes become non-negative numbers, as lanes require: _LOWEST is added to each byte.
_LOWEST: Final = 128
_FROM_ZERO: Final = bytes((byte + _LOWEST) % 256 for byte in range(256))


class Learned:
    """A linear model. The model adds the feature vectors of a sentence, and compares the sum with the vector of each
    label.

    The model's file starts with a line of JSON, which contains the labels, the number of dimensions and of learners,
    the step size of each table, and a digest of the examples. Three tables of signed bytes follow: feature vectors,
    label vectors with biases, and the projection of word embeddings.
    """

    def __init__(self, stored: bytes) -> None:
        header = json.loads(stored[: (end := stored.index(b"\n"))])
        self.labels: Sequence[str] = header["labels"]
        self.digest: str = header["digest"]
        self._size: int = header["dimensions"]
        self._step: float = header["steps"]["features"]
        self._share = 1 / header["learners"]
        # Keep the tables as views of the file: the feature table is large, and only a few of its rows are read.
        tables = memoryview(stored)[end + 1 :].cast("b")
        features, labels, _ = header["sizes"]
        self._features = tables[:features]
        self._labels = _rows(tables[features : features + labels], len(self.labels), header["steps"]["labels"])
        self._meanings = _rows(tables[features + labels :], self._size, header["steps"]["meanings"])

    def probabilities(self, sentence: str) -> Mapping[str, float]:
        """Return the probability of each label. The probabilities add up to 1."""
        inputs = [*self.vector(sentence), 1.0]
        likely = [self._share * dot(inputs, label) for label in self._labels]
        most = max(likely)
        shares = [math.exp(each - most) for each in likely]
        total = sum(shares)
        return {label: share / total for label, share in zip(self.labels, shares, strict=True)}

    def vector(self, sentence: str) -> Vector:
        words = words_of(said(sentence))
        buckets = buckets_of(words)
        scale = self._step / math.sqrt(len(buckets) or 1)
        meaning = word_table().vector(words)
        summed = self._sum_of(buckets)
        return [scale * part + dot(meaning, turned) for part, turned in zip(summed, self._meanings, strict=True)]

    def _sum_of(self, buckets: Sequence[int]) -> Iterable[int]:
        """Add the feature vectors of these buckets."""
        rows = (bytes(self._features[at * self._size : (at + 1) * self._size]) for at in buckets)
        packed = sum(in_lanes(row.translate(_FROM_ZERO)) for row in rows)
        return (part - _LOWEST * len(buckets) for part in from_lanes(packed, self._size))


def _rows(table: memoryview[int], count: int, step: float) -> Sequence[Vector]:
    width = len(table) // count
    return [[step * value for value in table[at : at + width]] for at in range(0, len(table), width)]


@cache
def learned_from(path: Path) -> Learned:
    """Return the trained model that a file contains. The model is loaded on first use."""
    return Learned(path.read_bytes())
