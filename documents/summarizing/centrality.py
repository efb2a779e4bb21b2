"""Uses LexRank to score the centrality of each sentence in a document: central sentences share words with many other
sentences.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Final

from shifts import give_way

MOST_SENTENCES: Final = 400
# Words that occur in more than this number of sentences are ignored, because they do not distinguish sentences.
# Comparing all sentences that share such a word would also take quadratic time.
_MOST_SENTENCES_OF_A_WORD: Final = 64
_DAMPING: Final = 0.85
_ROUNDS: Final = 30

Vector = Mapping[str, float]


def centrality(sentences: Sequence[Sequence[str]]) -> list[float]:
    """Score sentences, which are lists of stems. The most central sentence has the score 1."""
    if len(sentences) > MOST_SENTENCES:
        raise ValueError(f"{len(sentences)} sentences exceed the maximum of {MOST_SENTENCES}")
    likeness = _likeness(_vectors(sentences))
    totals = [sum(row.values()) for row in likeness]
    ranks = [1.0] * len(sentences)
    for _ in range(_ROUNDS):
        give_way()
        ranks = _next(ranks, likeness, totals)
    most = max(ranks, default=1.0)
    return [rank / most for rank in ranks]


def _next(ranks: Sequence[float], likeness: Sequence[Mapping[int, float]], totals: Sequence[float]) -> list[float]:
    given = [rank / total if total else 0.0 for rank, total in zip(ranks, totals, strict=True)]
    return [(1 - _DAMPING) + _DAMPING * sum(share * given[other] for other, share in row.items()) for row in likeness]


def _vectors(sentences: Sequence[Sequence[str]]) -> list[Vector]:
    counts = [Counter(sentence) for sentence in sentences]
    spread = Counter(word for count in counts for word in count)
    rarity = {word: log(1 + len(sentences) / among) for word, among in spread.items()}
    return [_of_length_one({word: often * rarity[word] for word, often in count.items()}, spread) for count in counts]


def _of_length_one(weights: Vector, spread: Mapping[str, int]) -> Vector:
    length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items() if spread[word] <= _MOST_SENTENCES_OF_A_WORD}


def _holders(vectors: Sequence[Vector]) -> Mapping[str, Sequence[tuple[int, float]]]:
    """For each word, return the numbers of the sentences that contain it, with the word's weight in each sentence."""
    holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, vector in enumerate(vectors):
        for word, weight in vector.items():
            holders[word].append((number, weight))
    return holders


def _likeness(vectors: Sequence[Vector]) -> list[dict[int, float]]:
    """For each sentence, return its cosine similarity to all other sentences that share a word with it."""
    holders = _holders(vectors)
    rows: list[dict[int, float]] = [defaultdict(float) for _ in vectors]
    for number, vector in enumerate(vectors):
        give_way()
        for word, weight in vector.items():
            for other, theirs in holders[word]:
                if other != number:
                    rows[number][other] += weight * theirs
    return rows
