"""Trains the linear intent model on example sentences, with gradient descent. This module requires numpy and scipy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix

from understanding.features import BUCKETS, buckets_of, said, words_of
from understanding.word_table import DIMENSIONS as MEANINGS
from understanding.word_table import word_table

# The number of models that learn the same examples in different orders, so that random errors average out.
_LEARNERS: Final = 4
_DIMENSIONS: Final = 32
_ROUNDS, _BATCH, _RATE = 20, 512, 0.01
# Training ignores this share of the features in each round (dropout), so that no single feature decides the result.
_HIDDEN: Final = 0.4
# All other labels together get this share of each example (label smoothing), because people phrase requests
# differently.
_DOUBT: Final = 0.1
# The weight of examples with typos, and the minimum length of words that get a typo.
_MISTYPED: Final = 0.4
_SHORTEST_MISTYPED: Final = 5
_Table = Any


@dataclass(frozen=True)
class Examples:
    sentences: Sequence[str]
    labels: Sequence[int]
    weights: Sequence[float]


@dataclass(frozen=True)
class _Features:
    found: _Table
    meanings: _Table


@dataclass
class Tables:
    """The learned parameters: the vectors of features and labels, and the projection of embeddings."""

    features: _Table
    labels: _Table
    meanings: _Table

    def kept(self, names: Sequence[str], digest: str) -> bytes:
        tables = [self.features, self.labels, self.meanings.T]
        # A table that contains only zeros gets the step size 1, because a step size of 0 is impossible.
        steps = [float(np.abs(table).max()) / 127 or 1.0 for table in tables]
        rounded = [np.round(table / step).astype(np.int8).tobytes() for table, step in zip(tables, steps, strict=True)]
        head = {
            "digest": digest,
            "learners": _LEARNERS,
            "dimensions": self.features.shape[1],
            "steps": dict(zip(("features", "labels", "meanings"), steps, strict=True)),
            "sizes": list(map(len, rounded)),
            "labels": list(names),
        }
        return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(rounded)


def learned(examples: Examples, count: int, *, words: bool = True, meanings: bool = True) -> Tables:
    """Train tables of parameters that distinguish these labels. The result combines the tables of all learners."""
    found = _features_of(examples.sentences)
    features = _Features(found.found * words, found.meanings * meanings)
    tables = [_Learner(features, examples, count, seed).learned() for seed in range(_LEARNERS)]
    added = sum(each.labels[:, -1:] for each in tables)
    return Tables(
        np.hstack([each.features for each in tables]),
        np.hstack([*(each.labels[:, :-1] for each in tables), added]),
        np.hstack([each.meanings for each in tables]),
    )


class _Learner:
    def __init__(self, features: _Features, examples: Examples, count: int, seed: int) -> None:
        self._features = features
        self._labels = np.array(examples.labels)
        self._weights = np.array(examples.weights, np.float32)
        self._random = np.random.default_rng(seed)
        self._count = count
        self._tables = [
            np.zeros((BUCKETS, _DIMENSIONS), np.float32),
            self._random.normal(0, 0.3, (count, _DIMENSIONS + 1)).astype(np.float32),
            self._random.normal(0, 0.1, (MEANINGS, _DIMENSIONS)).astype(np.float32),
        ]
        self._tables[1][:, -1] = 0
        self._means = [np.zeros_like(table) for table in self._tables]
        self._squares = [np.zeros_like(table) for table in self._tables]
        self._steps = 0

    def learned(self) -> Tables:
        number = len(self._labels)
        for at in range(_ROUNDS):
            rate = _RATE * (1 - at / _ROUNDS) + 1e-4
            for batch in np.array_split(self._random.permutation(number), max(number // _BATCH, 1)):
                self._descend(self._gradients(batch), rate)
        return Tables(*self._tables)

    def _gradients(self, batch: _Table) -> Sequence[_Table]:
        features, labels, meanings = self._tables
        found = self._features.found[batch]
        found.data *= (self._random.random(len(found.data)) > _HIDDEN) / (1 - _HIDDEN)
        vectors = self._features.meanings[batch]
        inputs = found @ features + vectors @ meanings
        likely = inputs @ labels[:, :-1].T + labels[:, -1]
        likely = np.exp(likely - likely.max(1, keepdims=True))
        wrong = likely / likely.sum(1, keepdims=True) - _DOUBT / self._count
        wrong[np.arange(len(batch)), self._labels[batch]] -= 1 - _DOUBT
        wrong *= self._weights[batch][:, None] / len(batch)
        back = wrong @ labels[:, :-1]
        of_labels = np.hstack([wrong.T @ inputs, wrong.sum(0)[:, None]])
        return found.T @ back, of_labels, vectors.T @ back

    def _descend(self, gradients: Sequence[_Table], rate: float) -> None:
        """Take one step of the Adam optimizer."""
        self._steps += 1
        rate *= np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for at, gradient in enumerate(gradients):
            self._means[at] = 0.9 * self._means[at] + 0.1 * gradient
            self._squares[at] = 0.999 * self._squares[at] + 0.001 * gradient * gradient
            self._tables[at] -= rate * self._means[at] / (np.sqrt(self._squares[at]) + 1e-8)


def _features_of(sentences: Sequence[str]) -> _Features:
    rows: list[int] = []
    columns: list[int] = []
    shares: list[float] = []
    meanings = np.zeros((len(sentences), MEANINGS), np.float32)
    for at, sentence in enumerate(sentences):
        words = words_of(said(sentence))
        buckets = buckets_of(words)
        rows += [at] * len(buckets)
        columns += buckets
        shares += [1 / np.sqrt(len(buckets))] * len(buckets)
        meanings[at] = word_table().vector(words)
    found = csr_matrix((np.array(shares, np.float32), (rows, columns)), shape=(len(sentences), BUCKETS))
    return _Features(found, meanings)


def _mistyped(sentence: str, slips: Random) -> str:
    """Return the sentence with typos: in some long words, two letters are swapped or one letter is dropped."""
    words = sentence.split(" ")
    long = [at for at, word in enumerate(words) if len(word) >= _SHORTEST_MISTYPED]
    for at in slips.sample(long, min(len(long), 1 + len(long) // 4)):
        word, place = words[at], slips.randrange(1, len(words[at]) - 2)
        swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        words[at] = slips.choice((swapped, word[:place] + word[place + 1 :]))
    return " ".join(words)


def labels_of(examples: Mapping[str, Sequence[str]], described: Mapping[str, Sequence[str]]) -> Examples:
    """Return all examples in the order of labels: sentences with and without typos, and descriptions of tools."""
    slips = Random(0)  # noqa: S311 - reproducible, not for security
    sentences: list[str] = []
    labels: list[int] = []
    weights: list[float] = []
    for at, (label, said_so) in enumerate(examples.items()):
        mistyped = [_mistyped(sentence, slips) for sentence in said_so]
        for weight, texts in ((1.0, said_so), (_MISTYPED, mistyped), (2.0, described.get(label, ()))):
            sentences += texts
            labels += [at] * len(texts)
            weights += [weight] * len(texts)
    return Examples(sentences, labels, weights)
