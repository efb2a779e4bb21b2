"""Reads what people write, and what is written of tools: all that tells one sentence from another."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from mcp_server.catalog import language
from mcp_server.catalog.speech import STRANGE, Saying, is_thing, speech_of
from mcp_server.catalog.spelling import Spelling
from mcp_server.catalog.verbs import Wanted, verbs, wanted
from mcp_server.catalog.words import about, clauses_of, names_in, said, stem, without_quoted, words_of
from mcp_server.declarations.vocabulary import Vocabulary

# What is shorter and not known is a slip.
_SHORTEST_THING: Final = 4


@dataclass(frozen=True, slots=True)
class Sentence:
    signs: Collection[str]
    # The things spoken of, in their order, and the words that nobody here knows.
    things: Sequence[str]
    unknown: Collection[str]
    wanted: Wanted


class Reader:
    """Reads sentences in the words of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._speech = speech_of(vocabulary)
        self._seen: set[str] = set()
        self._known: set[str] = set()

    def sayings(self, written: str) -> Sequence[Saying]:
        """What is said where a tool is asked for, every word of which is known from now on."""
        return [self._known_from_now(saying) for saying in self._speech.sayings(written)]

    def description(self, text: str) -> Saying:
        """What describes a tool, every word of which is known from now on."""
        words = words_of(text)
        return self._known_from_now(Saying(words, self._speech.signs(words)))

    def _known_from_now(self, saying: Saying) -> Saying:
        self._seen.update(saying.words)
        self._known.update(saying.signs)
        return saying

    def of_nothing(self, written: str) -> list[list[str]]:
        """What is said where something is asked for that no tool does."""
        sayings = self._speech.sayings(written)
        self._seen.update(*(saying.words for saying in sayings))
        return [self._marked(saying.signs) for saying in sayings]

    def of_caller(self, text: str) -> Sentence:
        text = said(text)
        names = names_in(text)
        clauses = [
            [word if stem(word) in names else self._mended(word) for word in words_of(clause)]
            for clause in clauses_of(text)
        ]
        words = without_quoted([word for clause in clauses for word in clause])
        signs = self._speech.signs(words)
        things = list(dict.fromkeys(filter(is_thing, signs)))
        names |= self._called(things)
        does = wanted(clauses)
        if does.actions:
            names |= frozenset(map(stem, about(words))) - self.elsewhere
        known = [thing for thing in things if self._is_known(thing) or (thing in self.elsewhere and thing not in names)]
        names |= {thing for thing in things if len(thing) < _SHORTEST_THING and not self._is_known(thing)}
        unnamed = [sign for sign in signs if sign in known or sign not in names]
        return Sentence(set(self._marked(unnamed)), known, set(things) - set(known) - names, does)

    def _called(self, things: Sequence[str]) -> frozenset[str]:
        """The words that only name the thing after them: the team Payments, the repository of the shop."""
        return frozenset(name for name, thing in pairwise(things) if thing in self._named and not self._is_known(name))

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(self._vocabulary.named.replace(",", " ").split())

    def _marked(self, signs: Sequence[str]) -> list[str]:
        """The signs, and for each thing that is none of ours that there is one."""
        strange = [sign for sign in signs if is_thing(sign) and (sign in self.elsewhere or not self._is_known(sign))]
        return [*signs, *(STRANGE for _ in strange)]

    def _is_known(self, thing: str) -> bool:
        return thing in self._known or self.kind(thing) in self._known

    def kind(self, thing: str) -> str:
        return self._speech.kind(thing)

    @property
    def elsewhere(self) -> frozenset[str]:
        return self._speech.elsewhere

    def _mended(self, word: str) -> str:
        return word if stem(word) in self._known else self._spelling.mended(word)

    @cached_property
    def _spelling(self) -> Spelling:
        lists = (*self._vocabulary.names.values(), self._vocabulary.elsewhere)
        named = {word for words in lists for word in words_of(words)}
        named |= {f"{word}s" for word in named}
        return Spelling(named | self._seen | verbs().keys() | language.ASKING | language.FILLERS)
