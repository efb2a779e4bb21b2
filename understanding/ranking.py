"""Which of the tools that are there a sentence means: what was learned of some, and what describes the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from understanding.features import said, words_of
from understanding.learned import NOTHING, Learned
from understanding.questions import asks
from understanding.word_table import Vector, dot, word_table

# A match below this is an accident; one that is sure may be acted upon.
_THRESHOLD: Final = 0.035
SURE: Final = 0.4
# What no tool does is asked for, where that is more probable than so much of the closest together.
_DENIED: Final = 0.3
# What is not there is meant, where it is so many times as probable as what is.
_FAR_MORE: Final = 2.0
# What destroys something has to be meant more surely than this to be found at all.
_RASH: Final = 0.25
# What is much worse than the best is not worth its tokens.
_WORTH_SHOWING: Final = 0.1
# With such a part of what a change has, what reads may be meant as well.
_RIVALS: Final = 0.6
# So probable it has to be that a change is wanted, before a tool that changes something comes first.
_WANTED, _WANTED_IF_VAGUE = 0.5, 0.75
_CLOSEST: Final = 3
_LEAST_CLOSE: Final = 0.005
# Of what nothing was learned: how much its own words say of it, and how much what they mean.
_BY_WORDS, _BY_MEANING = 0.65, 0.35
_OUTSIDE_ENOUGH: Final = 0.15
# Words that tell less than this together are no sign of anything.
_TELLING_ENOUGH: Final = 100
_NOTHING_LEARNED: Final[Mapping[str, float]] = {NOTHING: 0.0}


@dataclass(frozen=True)
class Candidate:
    """A tool that is there: its label, what it does to the world, and what describes it."""

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
    """The places of the candidates that are meant, the best first, with how probable each is; else the closest."""

    meant: Sequence[tuple[int, float]]
    closest: Sequence[int]
    is_question: bool
    # What is meant, and is not there.
    lacking: str = ""


class Ranking:
    """Ranks the same candidates for one sentence after another; `are_given` if one of them is meant in any case."""

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
        meant = [(at, shares[at]) for at in order if shares[at] >= _WORTH_SHOWING * best]
        return Ranked(meant[:limit], (), is_question)

    def _is_any(self, shares: Sequence[float]) -> bool:
        """Whether anything is more than an accident: the words that describe a tool are so more often than examples."""
        outside = frozenset(self._outside)
        least = (_OUTSIDE_ENOUGH if at in outside else _THRESHOLD for at in range(len(shares)))
        return any(share >= enough for share, enough in zip(shares, least, strict=True))

    def _is_rash(self, order: Sequence[int], shares: Sequence[float]) -> bool:
        """Whether the first would destroy something that somebody may not have meant."""
        first = order[0]
        return self._candidates[first].is_destruction and first not in self._outside and shares[first] < _RASH

    def _is_denied(self, shares: Sequence[float], probable: Mapping[str, float]) -> bool:
        """Whether what no tool does is asked for; what is known of that says nothing of tools from outside."""
        if self._are_given or max((shares[at] for at in self._outside), default=0.0) > _OUTSIDE_ENOUGH:
            return False
        return probable[NOTHING] > _DENIED * sum(sorted(shares, reverse=True)[:_CLOSEST])

    def _shares(self, sentence: str, probable: Mapping[str, float]) -> list[float]:
        shares = [probable.get(each.label, 0.0) for each in self._candidates]
        if self._are_given:
            shares = [share / (sum(shares) or 1.0) for share in shares]
        if self._outside:
            words = [_singular(word) for word in words_of(said(sentence))]
            meaning = word_table().vector(words)
            for at in self._outside:
                shares[at] = _alike(words, meaning, self._candidates[at])
        return shares

    def _in_order(self, shares: Sequence[float], *, is_question: bool) -> list[int]:
        """The most probable first; but what changes or destroys something only where that is what is wanted."""
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
        """Those that are late behind the others that have such a part of what the best has."""
        late = list(is_late)
        least = rivals * shares[ranked[0]] if ranked else 0.0
        return sorted(ranked, key=lambda at: (shares[at] < least, late[at]))

    def _lacking(self, probable: Mapping[str, float], best: float) -> str:
        """What is meant far more probably than anything that is there."""
        label = max(probable, key=probable.__getitem__)
        is_lacking = not self._are_given and probable[label] > max(_THRESHOLD, _FAR_MORE * best)
        return label if is_lacking else NOTHING


def _alike(words: Sequence[str], meaning: Vector, candidate: Candidate) -> float:
    """How much of what is said is said of the tool."""
    telling = [word_table().telling(word) for word in words]
    known = sum(tells for word, tells in zip(words, telling, strict=True) if word in candidate.words)
    covered = known / (sum(telling) or 1) * min(known / _TELLING_ENOUGH, 1.0)
    return _BY_WORDS * covered * covered + _BY_MEANING * covered * max(dot(meaning, candidate.meaning), 0.0)


def _singular(word: str) -> str:
    return word.removesuffix("s")
