"""Which tools do what some words ask for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import mul
from typing import Final
from weakref import WeakKeyDictionary

from identity.access import Access
from mcp_server.catalog import language
from mcp_server.catalog.sentences import Reader, Sentence
from mcp_server.catalog.speech import ACTION, FIRST, MANY, PAIR, SMALL, STRANGE, VERB, is_thing
from mcp_server.catalog.words import NUMBER, stem
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import Vocabulary
from mcp_server.view import View

# A match below this is an accident; one that is sure may be acted upon.
_THRESHOLD: Final = 0.22
SURE: Final = 0.4
# What is much worse than the best is not worth its tokens.
_WORTH_SHOWING: Final = 0.4
_ABOUT_AS_GOOD: Final = 0.85

# How much each sign says, by its mark; a thing says 1.
_WEIGHTS: Final = {ACTION: 0.8, SMALL: 0.7, MANY: 0.6, PAIR: 0.25, FIRST: 0.15, VERB: 0.5, STRANGE: 0.5, NUMBER: 0.9}
# How much a tool is as all that is said of it, and how much as the one sentence that is most alike.
_AS_A_WHOLE, _AS_A_SENTENCE = 0.6, 0.4
# The sentences of so many tools are read, of those that are most alike as a whole.
_READ_CLOSELY: Final = 12
# As alike as this is the same sentence.
_THE_SAME: Final = 0.95
# What describes a tool says less of it than how people ask for it.
_DESCRIBED: Final = 0.3
# So many are read by whoever asks.
_SHOWN: Final = 3
_UNKNOWN, _ELSEWHERE = 0.3, 1.0
# A verb that begins no sentence says less surely what is wanted.
_FITS, _MISFITS, _MISFITS_LATE = 1.1, 0.3, 0.6
# What is said in this share of the sentences that ask for a tool belongs to it.
_OFTEN, _OFTEN_DONE = 0.3, 0.1
# Words that are only ours are seldom asked for in vain, and whoever searches may ask for anything.
_OURS, _UNHEARD, _SOUGHT = 0.85, 0.8, 0.5

_Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Match:
    toolset: Toolset
    tool: Tool
    score: float

    def is_about_as_good_as(self, best: Match) -> bool:
        return self.score >= _ABOUT_AS_GOOD * best.score

    @property
    def is_sure(self) -> bool:
        return self.score >= SURE


@dataclass(frozen=True, slots=True)
class Found:
    """The tools that do what is asked; where none does, those that come closest, what reads before what changes."""

    matches: Sequence[Match]
    closest: Sequence[Match] = ()


def _reading_first(matches: Iterable[Match]) -> Sequence[Match]:
    """What only reads before what changes something, which no question asks for."""
    return sorted(matches, key=lambda match: match.tool.access is not Access.READ)


class _Spoken:
    """Sentences that ask for the same, and the signs in all of them."""

    def __init__(self, sentences: Sequence[Sequence[str]], described: Collection[str] = ()) -> None:
        self.sentences = sentences
        self.counts = Counter(chain.from_iterable(sentences))
        self.described = described

    def often(self, share: float) -> Collection[str]:
        return {sign for sign, count in self.counts.items() if count >= share * len(self.sentences)}


class _Candidate(_Spoken):
    """A tool, by the sentences that ask for it."""

    def __init__(
        self,
        toolset: Toolset,
        tool: Tool,
        said: Sequence[Sequence[str]],
        *,
        described: Collection[str],
        verbs: set[str],
    ) -> None:
        super().__init__(said, described)
        self.toolset = toolset
        self.tool = tool
        self._own = tool.own_words[0].partition("_")[0]
        self.own_verb = stem(self._own)
        self.verbs = verbs | {self.own_verb}

    @cached_property
    def objects(self) -> Collection[str]:
        """What it is done to."""
        return {sign for sign in (*self.sentences[0], *self.often(_OFTEN)) if is_thing(sign)}

    @cached_property
    def actions(self) -> Collection[str]:
        """What is asked for by most of the verbs that ask for it."""
        share = _OFTEN if self.tool.access is Access.READ else _OFTEN_DONE
        done = {sign.removeprefix(ACTION) for sign in self.often(share) if sign.startswith(ACTION)}
        return done | {language.DOES.get(self._own, self._own)}


class Index:
    """The tools that one caller sees, read once."""

    def __init__(self, toolsets: Sequence[Toolset], vocabulary: Vocabulary) -> None:
        self._reader = Reader(vocabulary)
        self._vocabulary = vocabulary
        self._tools = [self._candidate(toolset, tool) for toolset in toolsets for tool in toolset.tools]
        self._nothing = _Spoken(self._reader.of_nothing(vocabulary.nothing))
        self._weights = self._weighed()
        self._amounts = [self._amount(each) for each in (*self._tools, self._nothing)]
        self._lengths = [self._length_of(amounts) for amounts in self._amounts]
        # Of the few that are ever read closely: their sentences, each as long as any other.
        self._vectors: dict[int, Sequence[_Weights]] = {}

    def best(self, words: str, limit: int) -> Sequence[Match]:
        return self.found(words, limit).matches

    def found(self, words: str, limit: int) -> Found:
        """Rank the tools that do what is asked; among equals, the one declared first."""
        asked = self._reader.of_caller(words)
        if not self._tools or not asked.signs:
            return Found([])
        *scores, nothing = self._scores(asked)
        fitting = [score * self._fitness(asked, each) for each, score in zip(self._tools, scores, strict=True)]
        ranked = sorted(range(len(fitting)), key=lambda at: fitting[at], reverse=True)
        best = ranked[0]
        if fitting[best] < max(_THRESHOLD, nothing * self._doubt(asked, [self._tools[at] for at in ranked[:_SHOWN]])):
            return Found([], self._closest(fitting, ranked))
        least = max(_THRESHOLD, _WORTH_SHOWING * fitting[best])
        matches = [self._match(at, fitting[at]) for at in ranked[:limit] if fitting[at] >= least]
        return Found(_reading_first(matches) if asked.wanted.asks else matches)

    def _closest(self, fitting: Sequence[float], ranked: Sequence[int]) -> Sequence[Match]:
        near = (self._match(at, fitting[at]) for at in ranked[:_SHOWN] if fitting[at])
        return _reading_first(near)

    def _match(self, at: int, score: float) -> Match:
        return Match(self._tools[at].toolset, self._tools[at].tool, score)

    def _candidate(self, toolset: Toolset, tool: Tool) -> _Candidate:
        said = self._reader.sayings(self._vocabulary.sayings.get(tool.name, ""))
        name, description = tool.own_words
        further = (other.name for other in tool.further_names)
        named = dict.fromkeys((name, *further, tool.title.lower(), " ".join(description.partition("\n\n")[0].split())))
        described: Sequence[str] = ()
        if not said:
            # Of tools from outside nothing is written down: what describes them says most of them.
            named |= dict.fromkeys((toolset.name, description))
            described = (toolset.description, *tool.parameter_names)
        read = [*map(self._reader.description, named), *said]
        more = self._reader.description(" ".join(described))
        verbs = {stem(saying.words[0]) for saying in said}
        return _Candidate(toolset, tool, [each.signs for each in read], described=set(more.signs), verbs=verbs)

    def _weighed(self) -> _Weights:
        """How much each sign says: more, the fewer tools it is said of."""
        having = Counter(chain.from_iterable(each.counts for each in self._tools))
        having.update(self._nothing.counts.keys() - having.keys())
        return {sign: _weight(sign) * math.log1p(len(self._tools) / count) for sign, count in having.items()}

    def _amount(self, spoken: _Spoken) -> Mapping[str, float]:
        """How often each sign is said of it; what only describes it counts for less."""
        if not spoken.described:
            return spoken.counts
        amounts: dict[str, float] = dict(spoken.counts)
        for sign in spoken.described:
            if sign in self._weights:
                amounts[sign] = amounts.get(sign, 0.0) + _DESCRIBED / self._weights[sign]
        return amounts

    def _length_of(self, amounts: Mapping[str, float]) -> float:
        weights = list(map(self._weights.__getitem__, amounts))
        return math.sqrt(sum(map(mul, amounts.values(), map(mul, weights, weights)))) or 1.0

    def _scores(self, asked: Sentence) -> Sequence[float]:
        """How much each tool is what is asked for; at the end, how much what no tool does."""
        vector = {sign: self._weights[sign] for sign in asked.signs if sign in self._weights}
        wholes = self._alike_as_wholes(vector)
        closely = set(sorted(range(len(self._tools)), key=lambda at: wholes[at], reverse=True)[:_READ_CLOSELY])
        scores = [
            _AS_A_WHOLE * whole + _AS_A_SENTENCE * (self._most_alike(at, vector) if at in closely else 0.0)
            for at, whole in enumerate(wholes[:-1])
        ]
        known = _length(vector)
        lengths = [math.hypot(known, self._strange(asked, each)) or 1.0 for each in self._tools]
        nothing = self._like_nothing({sign: weight / known for sign, weight in vector.items()}, wholes[-1] / known)
        return [*(score / length for score, length in zip(scores, lengths, strict=True)), nothing]

    def _like_nothing(self, asked: _Weights, as_a_whole: float) -> float:
        alike = self._most_alike(len(self._tools), asked)
        return 1.0 if alike > _THE_SAME else _AS_A_SENTENCE * as_a_whole + _AS_A_WHOLE * alike

    def _alike_as_wholes(self, asked: _Weights) -> list[float]:
        squares = [(sign, weight * weight) for sign, weight in asked.items()]
        return [
            sum(square * math.sqrt(amounts[sign]) for sign, square in squares if sign in amounts) / length
            for amounts, length in zip(self._amounts, self._lengths, strict=True)
        ]

    def _most_alike(self, at: int, asked: _Weights) -> float:
        """How much the one sentence that is most alike is what is asked."""
        if at not in self._vectors:
            spoken = self._tools[at] if at < len(self._tools) else self._nothing
            self._vectors[at] = [self._vector(signs) for signs in spoken.sentences]
        alike = (sum(asked[sign] * of[sign] for sign in asked.keys() & of.keys()) for of in self._vectors[at])
        return max(alike, default=0.0)

    def _vector(self, signs: Iterable[str]) -> _Weights:
        vector = {sign: self._weights[sign] for sign in signs}
        length = _length(vector)
        return {sign: weight / length for sign, weight in vector.items()}

    def _strange(self, asked: Sentence, spoken: _Candidate) -> float:
        """How much is asked that the tool knows nothing of."""
        if self._is_search(asked, spoken.tool):
            return 0.0
        elsewhere = sum(thing in self._reader.elsewhere and thing not in spoken.counts for thing in asked.things)
        return math.log1p(len(self._tools)) * math.hypot(
            _UNKNOWN * math.sqrt(len(asked.unknown)), _ELSEWHERE * math.sqrt(elsewhere)
        )

    def _is_search(self, asked: Sentence, tool: Tool) -> bool:
        """Whether something is asked for in what the tool searches: then it may be anything."""
        places = self._vocabulary.searches.get(tool.name, "").replace(",", " ").split()
        return any(thing in places or self._reader.kind(thing) in places for thing in asked.things)

    def _doubt(self, asked: Sentence, ranked: Sequence[_Candidate]) -> float:
        """How much it counts that the sentence is like those that ask for what no tool does."""
        best = ranked[0]
        if any(self._is_search(asked, each.tool) for each in (ranked if asked.wanted.asks else [best])):
            return _SOUGHT
        if any(thing in self._reader.elsewhere and thing not in best.counts for thing in asked.things):
            return 1.0
        return _UNHEARD if STRANGE in asked.signs else _OURS

    def _fitness(self, asked: Sentence, spoken: _Candidate) -> float:
        """How well what a tool does fits what is wanted: a verb that does something else makes it another request."""
        access, wanted = spoken.tool.access, asked.wanted
        if spoken.own_verb in asked.things and not wanted.asks:
            return _FITS
        if wanted.actions:
            fits = wanted.verb in spoken.verbs or not wanted.actions.isdisjoint(spoken.actions)
            if fits:
                others = [thing for thing in asked.things if stem(thing) != wanted.verb]
                return _FITS * self._aim(others or asked.things, spoken)
            return _MISFITS_LATE if wanted.is_late else _MISFITS
        if access is Access.READ:
            return 1.0
        if access is Access.DESTROY:
            return 0.3 if wanted.asks else 0.4
        return 0.5 if wanted.asks else 0.85

    def _aim(self, things: Sequence[str], spoken: _Candidate) -> float:
        """How well what it is to be done to is what the tool does it to."""
        if not things:
            return 0.8
        if any(thing in spoken.objects or self._reader.kind(thing) in spoken.objects for thing in things):
            return 1.0
        return 0.8 if any(spoken.counts[thing] > 1 for thing in things) else 0.5


def _length(vector: _Weights) -> float:
    return math.hypot(*vector.values()) or 1.0


def _weight(sign: str) -> float:
    return _WEIGHTS.get(sign[0], 1.0)


# Views are kept by their catalog, and an index lives as long as its view.
_INDEXES: Final[WeakKeyDictionary[View, Index]] = WeakKeyDictionary()


def found_in(view: View, words: str, limit: int) -> Found:
    if view not in _INDEXES:
        _INDEXES[view] = Index(view.toolsets, view.vocabulary)
    return _INDEXES[view].found(words, limit)


def found_within(toolsets: Sequence[Toolset], view: View, words: str, limit: int) -> Found:
    return Index(toolsets, view.vocabulary).found(words, limit)
