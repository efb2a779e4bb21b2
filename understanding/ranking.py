"""Ranks tools by how well they match a sentence. Tools without learned examples are ranked by their descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from understanding.features import said, words_of
from understanding.learned import NOTHING, Learned
from understanding.questions import asks
from understanding.vectors import Vector, dot
from understanding.word_table import word_table

# _THRESHOLD is the minimum probability of a match, because tools with a lower probability match only by chance. A match
# is reliable if its probability is at least SURE.
_THRESHOLD: Final = 0.035
SURE: Final = 0.4
# No tool matches if the probability of "no tool" exceeds this share of the closest tools' total probability.
_DENIED: Final = 0.3
# A sentence asks for an unavailable tool if that tool is more than this many times as probable as every available tool.
_FAR_MORE: Final = 2.0
# A destructive tool can be the first result only if its probability is at least this high.
_RASH: Final = 0.25
# The minimum score of a result, as a share of the best score. Results with a lower score are not worth their tokens.
_WORTH_SHOWING: Final = 0.1
# If the best tool changes something, read-only tools with at least this share of its probability are ranked above it.
_RIVALS: Final = 0.6
# A tool that changes something comes first only if a request for a change is at least this probable.
_WANTED, _WANTED_IF_VAGUE = 0.5, 0.75
_CLOSEST: Final = 3
_LEAST_CLOSE: Final = 0.005
# Weights for tools without examples: word overlap with the description, and similarity in meaning.
_BY_WORDS, _BY_MEANING = 0.65, 0.35
_OUTSIDE_ENOUGH: Final = 0.15
# Matching words whose total weight is below this value are weak evidence.
_TELLING_ENOUGH: Final = 100
_NOTHING_LEARNED: Final[Mapping[str, float]] = {NOTHING: 0.0}


@dataclass(frozen=True)
class Candidate:
    """An available tool: its label, its effect (whether it changes or destroys something), and the texts that describe
    it.
    """

    label: str
    is_change: bool
    is_destruction: bool
    texts: Sequence[str]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_singular(word) for text in self.texts for word in words_of(text))

    @cached_property
    def meaning(self) -> Vector:
        return word_table().vector(word for text in self.texts for word in words_of(text))


@dataclass(frozen=True, slots=True)
class Ranked:
    """The positions and probabilities of matching tools, best first. If no tool matches, `closest` contains the
    positions of the closest tools.
    """

    meant: Sequence[tuple[int, float]]
    closest: Sequence[int]
    is_question: bool
    # The label of the unavailable tool that the sentence asks for.
    lacking: str = ""


class Ranking:
    """Ranks the same tools for several sentences. `are_given` means that every sentence asks for one of these tools."""

    def __init__(self, candidates: Sequence[Candidate], learned: Learned | None, *, are_given: bool = False) -> None:
        self._candidates = candidates
        self._learned = learned
        self._are_given = are_given
        labels = frozenset(learned.labels if learned else ())
        self._outside = [at for at, each in enumerate(candidates) if each.label not in labels]

    def of(self, sentence: str, limit: int) -> Ranked:
        if not words_of(said(sentence)):
            return Ranked([], [], is_question=False)
        probable = self._learned.probabilities(sentence) if self._learned else _NOTHING_LEARNED
        shares = self._shares(sentence, probable)
        is_question = asks(sentence)
        order = self._in_order(shares, is_question=is_question)
        best = max(shares, default=0.0)
        lacking = self._lacking(probable, best)
        if not self._is_any(shares) or lacking or self._is_denied(shares, probable) or self._is_rash(order, shares):
            closest = [at for at in order[:_CLOSEST] if shares[at] > _LEAST_CLOSE]
            return Ranked([], closest, is_question, lacking)
        matches = [(at, shares[at]) for at in order if shares[at] >= _WORTH_SHOWING * best]
        return Ranked(matches[:limit], (), is_question)

    def _is_any(self, shares: Sequence[float]) -> bool:
        """Check whether any tool matches. A match by description requires a higher score than a learned match."""
        outside = frozenset(self._outside)
        least = (_OUTSIDE_ENOUGH if at in outside else _THRESHOLD for at in range(len(shares)))
        return any(share >= enough for share, enough in zip(shares, least, strict=True))

    def _is_rash(self, order: Sequence[int], shares: Sequence[float]) -> bool:
        """Check whether the first result is a destructive tool that is too improbable to be suggested."""
        first = order[0]
        return self._candidates[first].is_destruction and first not in self._outside and shares[first] < _RASH

    def _is_denied(self, shares: Sequence[float], probable: Mapping[str, float]) -> bool:
        """Check whether the sentence asks for something that no learned tool does. Tools of extensions are not learned,
        so they may still match.
        """
        if self._are_given or max((shares[at] for at in self._outside), default=0.0) > _OUTSIDE_ENOUGH:
            return False
        return probable[NOTHING] > _DENIED * sum(sorted(shares, reverse=True)[:_CLOSEST])

    def _shares(self, sentence: str, probable: Mapping[str, float]) -> list[float]:
        shares = [probable.get(each.label, 0.0) for each in self._candidates]
        if self._are_given:
            total = sum(shares) or 1.0
            shares = [share / total for share in shares]
        if self._outside:
            words = [_singular(word) for word in words_of(said(sentence))]
            meaning = word_table().vector(words)
            for at in self._outside:
                shares[at] = _alike(words, meaning, self._candidates[at])
        return shares

    def _in_order(self, shares: Sequence[float], *, is_question: bool) -> list[int]:
        """Sort tools by probability. Tools rank lower if they make changes that the sentence does not ask for."""
        ranked = sorted(range(len(shares)), key=shares.__getitem__, reverse=True)
        change = self._share_of(shares, (each.is_change for each in self._candidates))
        destruction = self._share_of(shares, (each.is_destruction for each in self._candidates))
        is_vague = not ranked or shares[ranked[0]] < SURE
        if is_question:
            return self._later(ranked, shares, _WORTH_SHOWING, (each.is_change for each in self._candidates))
        if change < (_WANTED_IF_VAGUE if is_vague else _WANTED):
            return self._later(ranked, shares, _RIVALS, (each.is_change for each in self._candidates))
        if is_vague or destruction < _WANTED:
            return self._later(ranked, shares, _WORTH_SHOWING, (each.is_destruction for each in self._candidates))
        return ranked

    @staticmethod
    def _share_of(shares: Sequence[float], counted: Iterable[bool]) -> float:
        return sum(share for share, counts in zip(shares, counted, strict=True) if counts) / (sum(shares) or 1.0)

    @staticmethod
    def _later(ranked: Sequence[int], shares: Sequence[float], rivals: float, is_late: Iterable[bool]) -> list[int]:
        """Put the rivals before all other tools and, among the rivals, the tools that are marked in `is_late` last.

        Rivals are the tools whose probability is at least `rivals` times the best probability.
        """
        late = list(is_late)
        least = rivals * shares[ranked[0]] if ranked else 0.0
        return sorted(ranked, key=lambda at: (shares[at] < least, late[at]))

    def _lacking(self, probable: Mapping[str, float], best: float) -> str:
        """Return the label of an unavailable tool that is far more probable than any available tool.

        Return NOTHING if there is no such tool.
        """
        label = max(probable, key=probable.__getitem__)
        is_lacking = not self._are_given and probable[label] > max(_THRESHOLD, _FAR_MORE * best)
        return label if is_lacking else NOTHING


def _alike(words: Sequence[str], meaning: Vector, candidate: Candidate) -> float:
    """Score how much of a sentence matches the description of a tool."""
    weights = [word_table().telling(word) for word in words]
    known = sum(tells for word, tells in zip(words, weights, strict=True) if word in candidate.words)
    covered = known / (sum(weights) or 1) * min(known / _TELLING_ENOUGH, 1.0)
    return _BY_WORDS * covered * covered + _BY_MEANING * covered * max(dot(meaning, candidate.meaning), 0.0)


def _singular(word: str) -> str:
    return word.removesuffix("s")
