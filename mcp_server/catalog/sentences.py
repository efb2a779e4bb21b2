"""Reads what people write, and what is written of tools: all that tells one sentence from another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from mcp_server.catalog import language
from mcp_server.catalog.spelling import Spelling
from mcp_server.catalog.verbs import Wanted, verb_stems, verbs, wanted
from mcp_server.catalog.words import NUMBER, about, clauses_of, names_in, said, stem, without_quoted, words_of
from mcp_server.declarations.vocabulary import Vocabulary

# A sign is a thing that is spoken of, as it is, or one of these with its mark before it.
ACTION, SMALL, MANY, PAIR, FIRST, VERB = "=", "?", "*", "+", "^", "~"
STRANGE: Final = "!"
_MARKS: Final = frozenset((ACTION, SMALL, MANY, PAIR, FIRST, VERB, STRANGE))
# What is shorter and not known is a slip.
_SHORTEST_THING: Final = 4
# A verb that may mean more than these says nothing of what is to be done.
_MOST_ACTIONS: Final = 4

_Stems = tuple[str, ...]


def is_thing(sign: str) -> bool:
    return sign[0] not in _MARKS and sign != NUMBER


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
        self._seen: set[str] = set()
        self._known: set[str] = set()

    def of_tool(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """What is said where a tool is asked for, every word of which is known from now on."""
        read = [self._signs(words) for words in sentences]
        self._seen.update(*sentences)
        self._known.update(*read)
        return read

    def of_nothing(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """What is said where something is asked for that no tool does."""
        self._seen.update(*sentences)
        return [self._marked(self._signs(words)) for words in sentences]

    def of_caller(self, text: str) -> Sentence:
        text = said(text)
        names = names_in(text)
        clauses = [
            [word if stem(word) in names else self._mended(word) for word in words_of(clause)]
            for clause in clauses_of(text)
        ]
        words = without_quoted([word for clause in clauses for word in clause])
        signs = self._signs(words)
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
        return self._vocabulary.kinds.get(thing, "")

    def _signs(self, words: Sequence[str]) -> list[str]:
        """The longest names that are in these words, the words between them, and what follows what."""
        signs: list[str] = []
        stems = tuple(map(stem, words))
        before = ""
        at = 0
        while at < len(words):
            lengths, told, is_paired = self._words[words[at]]
            length, told = self._longest_name(lengths, words, stems, at) or (1, told) if lengths else (1, told)
            if told:
                signs += told
                part = told[0]
                if is_paired:
                    signs.append(f"{PAIR}{before} {part}" if before else f"{FIRST}{part}")
                    before = part
            at += length
        if signs and words[0] in verbs():
            signs += _actions(words[0])
        return signs

    def _longest_name(
        self, lengths: Sequence[int], words: Sequence[str], stems: _Stems, at: int
    ) -> tuple[int, Sequence[str]] | None:
        for length in lengths:
            told = self._names.get(stems[at : at + length])
            if told and at + length <= len(words):
                return length, _one_or_many(told, words[at + length - 1])
        return None

    @cached_property
    def _words(self) -> _Words:
        return _Words(self._names)

    @cached_property
    def _names(self) -> Mapping[_Stems, Sequence[str]]:
        """What each name means, and of what kind that is."""
        names: dict[_Stems, list[str]] = defaultdict(list)
        for thing, others in self._vocabulary.names.items():
            for other in _entries(others):
                names[other] += [thing, kind] if (kind := self.kind(thing)) else [thing]
        for phrase in _entries(self._vocabulary.elsewhere):
            names.setdefault(phrase, [" ".join(phrase)])
        return dict(names)

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        return frozenset(" ".join(phrase) for phrase in _entries(self._vocabulary.elsewhere))

    def _mended(self, word: str) -> str:
        return word if stem(word) in self._known else self._spelling.mended(word)

    @cached_property
    def _spelling(self) -> Spelling:
        lists = (*self._vocabulary.names.values(), self._vocabulary.elsewhere)
        named = {word for words in lists for word in words_of(words)}
        named |= {f"{word}s" for word in named}
        return Spelling(named | self._seen | verbs().keys() | language.ASKING | language.FILLERS)


class _Word(NamedTuple):
    """How long the longer names are that begin with a word, and what it says where it is in none of them; it may go
    with what is beside it."""

    lengths: Sequence[int]
    told: Sequence[str]
    is_paired: bool


class _Words(dict[str, _Word]):
    """What words are, each read when it is first met."""

    def __init__(self, names: Mapping[_Stems, Sequence[str]]) -> None:
        super().__init__()
        self._names = names
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for name in names:
            self._lengths[name[0]].add(len(name))

    def __missing__(self, word: str) -> _Word:
        lengths = sorted(self._lengths.get(stem(word), ()), reverse=True)
        name = self._names.get((stem(word),))
        told = _one_or_many(name, word) if name else _alone(word)
        is_paired = bool(lengths) or (bool(told) and told[0][0] != SMALL and word != NUMBER)
        self[word] = found = _Word([length for length in lengths if length > 1], told, is_paired)
        return found


def _one_or_many(told: Sequence[str], word: str) -> Sequence[str]:
    return [*told, f"{MANY}{told[0]}"] if word[-1] == "s" else told


def _alone(word: str) -> Sequence[str]:
    if word == NUMBER:
        return [word]
    if small := language.SMALL_WORDS.get(word):
        return [f"{SMALL}{small}", *_actions(word)]
    if word in verbs():
        return [f"{VERB}{stem(word)}", *_actions(word)]
    if word in language.FILLERS or word in language.ASKING:
        return []
    return [f"{VERB}{stem(word)}" if stem(word) in verb_stems() else stem(word)]


@cache
def _actions(word: str) -> Sequence[str]:
    actions = verbs().get(word, ())
    return [f"{ACTION}{action}" for action in actions] if len(actions) <= _MOST_ACTIONS else ()


def _entries(text: str) -> Iterator[_Stems]:
    """The phrases of a list that are parted by commas, each as the stems of its words."""
    yield from (tuple(map(stem, entry.split())) for entry in text.split(",") if entry.strip())
