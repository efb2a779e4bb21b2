"""Which tools do what some words ask for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from identity.access import Access
from mcp_server.catalog import language
from mcp_server.catalog.sentences import Reader, Sentence, stem, wanted, words_of
from mcp_server.declarations.names import names_of
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import Vocabulary
from mcp_server.view import View

# A match below this is an accident; one that is sure may be acted upon.
_THRESHOLD: Final = 0.3
SURE: Final = 0.5
# What is much worse than the best is not worth its tokens.
_WORTH_SHOWING: Final = 0.55
_ABOUT_AS_GOOD: Final = 0.85

_NAME, _SAYING, _FIRST, _TEXT, _TOOLSET, _TOOLSET_NAME, _PARAMETER = 1.0, 0.9, 0.5, 0.3, 0.35, 0.45, 0.15
_AS_KIND: Final = 0.6
_UNKNOWN: Final = 0.5
_ELSEWHERE: Final = 3.0
# What is spoken of first is mostly what it is about; the rest says where it is.
_HEAD: Final = 1.25
_COVERED, _ALIKE = 0.5, 0.5

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
class _Spoken:
    """What is said of a tool: how much each thing counts, how people ask for it, and what it does."""

    toolset: Toolset
    tool: Tool
    weights: _Weights
    sayings: Collection[frozenset[str]]
    # What it is done to: the first things that are spoken of.
    objects: Collection[str]
    verbs: Collection[str]
    actions: Collection[str]


class Index:
    """The tools that one caller sees, read once."""

    def __init__(self, toolsets: Sequence[Toolset], vocabulary: Vocabulary) -> None:
        self._reader = Reader(vocabulary)
        self._vocabulary = vocabulary
        self._tools = [self._spoken(toolset, tool) for toolset in toolsets for tool in toolset.tools]
        self._having = Counter(
            term for spoken in self._tools for term, weight in spoken.weights.items() if weight > _TOOLSET_NAME
        )
        self._most = math.log1p(len(self._tools))
        self._masses = {saying: sum(map(self._mass, saying)) for each in self._tools for saying in each.sayings}

    def best(self, words: str, limit: int) -> list[Match]:
        """Rank the tools that do what is asked; among equals, the one declared first. None where nothing does it."""
        asked = self._reader.of_caller(words)
        if not asked.terms:
            return []
        masses = {term: self._mass(term) for term in asked.terms}
        masses[asked.terms[0]] *= _HEAD
        matches = [
            Match(spoken.toolset, spoken.tool, self._score(asked, masses, spoken) * self._fitness(asked, spoken))
            for spoken in self._tools
        ]
        least = max(_THRESHOLD, _WORTH_SHOWING * max((match.score for match in matches), default=0.0))
        found = [match for match in matches if match.score >= least]
        return sorted(found, key=lambda match: match.score, reverse=True)[:limit]

    def _score(self, asked: Sentence, masses: _Weights, spoken: _Spoken) -> float:
        """How much of what is asked is said of the tool, and how much it is as people ask for it."""
        covered = {term: mass * self._weight(term, spoken.weights) for term, mass in masses.items()}
        if not any(covered.values()):
            return 0.0
        total = sum(masses.values())
        if spoken.tool.name not in self._vocabulary.searches:
            strange = [mass for term, mass in masses.items() if term in self._reader.elsewhere and not covered[term]]
            total += _ELSEWHERE * sum(strange) + _UNKNOWN * self._most * len(asked.unknown)
        alike = max((self._alikeness(masses, total, saying) for saying in spoken.sayings), default=0.0)
        return _COVERED * sum(covered.values()) / total + _ALIKE * alike

    def _alikeness(self, masses: _Weights, total: float, saying: frozenset[str]) -> float:
        """How much of both is in both; what is only a kind of the other counts less."""
        shared = sum(mass * self._among(term, saying) for term, mass in masses.items())
        return 2 * shared / (total + self._masses[saying])

    def _among(self, term: str, saying: frozenset[str]) -> float:
        return 1.0 if term in saying else _AS_KIND if self._reader.kind(term) in saying else 0.0

    def _weight(self, term: str, weights: _Weights) -> float:
        return max(weights.get(term, 0.0), _AS_KIND * weights.get(self._reader.kind(term), 0.0))

    def _mass(self, term: str) -> float:
        """How well a word tells the tools apart."""
        having = self._having[term]
        return math.log1p(len(self._tools) / having) if having else self._most

    def _fitness(self, asked: Sentence, spoken: _Spoken) -> float:
        """How well what a tool does fits what is wanted: a verb that does something else makes it another request."""
        access, wanted = spoken.tool.access, asked.wanted
        if stem(spoken.tool.name.partition("_")[0]) in asked.terms:
            return 1.1
        if wanted.actions:
            fits = wanted.verb in spoken.verbs or not wanted.actions.isdisjoint(spoken.actions)
            return 1.1 * self._aim(asked.terms, spoken.objects) if fits else 0.25
        if access is Access.READ:
            return 1.0
        if access is Access.DESTROY:
            return 0.4
        return 0.6 if wanted.asks else 0.85

    def _aim(self, terms: Sequence[str], objects: Collection[str]) -> float:
        """How well what it is to be done to is what the tool does it to."""
        aimed = [term in objects or self._reader.kind(term) in objects for term in terms]
        return 1.0 if aimed[0] else 0.75 if any(aimed) else 0.35

    def _spoken(self, toolset: Toolset, tool: Tool) -> _Spoken:
        read = self._reader.of_tool
        said = [saying for saying in self._vocabulary.sayings.get(tool.name, "").split(",") if saying]
        # Of tools from outside nothing is written down: what they are gathered under says most of them.
        names = (*names_of(tool), tool.title) if said else (*names_of(tool), tool.title, toolset.name)
        named = [read(name) for name in names]
        first, sayings = read(tool.first_sentence), [read(saying) for saying in said]
        weighed = (
            (_PARAMETER, [read(" ".join(tool.parameter_names))]),
            (_TEXT, [read(tool.description)]),
            (_TOOLSET, [read(toolset.description)]),
            (_TOOLSET_NAME, [read(toolset.name)]),
            (_FIRST, [first]),
            (_SAYING, sayings),
            (_NAME, named),
        )
        weights = {term: weight for weight, texts in weighed for text in texts for term in text}
        alike = [text for text in (*named, first, *sayings) if text]
        objects = {*named[0], *(text[0] for text in alike)}
        return _Spoken(toolset, tool, weights, set(map(frozenset, alike)), objects, *_deeds(tool, said))


def _deeds(tool: Tool, said: Sequence[str]) -> tuple[Collection[str], Collection[str]]:
    """The verbs with which a tool is asked for, and what they ask for where they are of several words."""
    own = tool.name.partition("_")[0]
    asked = [wanted(words_of(saying)) for saying in said]
    verbs = {each.verb for each in asked if each.verb} | {stem(own)}
    return verbs, {language.DOES.get(own, own)}.union(*(each.actions for each in asked if not each.verb))


# Views are kept by their catalog, and an index lives as long as its view.
_INDEXES: Final[WeakKeyDictionary[View, Index]] = WeakKeyDictionary()


def best_matches(words: str, view: View, limit: int) -> list[Match]:
    if view not in _INDEXES:
        _INDEXES[view] = Index(view.toolsets, view.vocabulary)
    return _INDEXES[view].best(words, limit)
