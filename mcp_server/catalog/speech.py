"""What words say, as one vocabulary has it: the same whatever tools there are, and read once for all callers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from mcp_server.catalog import language
from mcp_server.catalog.verbs import verb_stems, verbs
from mcp_server.catalog.words import NUMBER, stem
from mcp_server.declarations.vocabulary import Vocabulary

# A sign is a thing that is spoken of, as it is, or one of these with its mark before it.
ACTION, SMALL, MANY, PAIR, FIRST, VERB = "=", "?", "*", "+", "^", "~"
STRANGE: Final = "!"
_MARKS: Final = frozenset((ACTION, SMALL, MANY, PAIR, FIRST, VERB, STRANGE))
# A verb that may mean more than these says nothing of what is to be done.
_MOST_ACTIONS: Final = 4

# Callers may say any words; those of a vocabulary are far fewer.
_MOST_WORDS: Final = 20_000

_Stems = tuple[str, ...]


def is_thing(sign: str) -> bool:
    return sign[0] not in _MARKS and sign != NUMBER


class Saying(NamedTuple):
    """A sentence that is written down: its words, and their signs."""

    words: Sequence[str]
    signs: Sequence[str]


class Speech:
    """What words say in one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._kinds = vocabulary.kinds
        self.elsewhere = frozenset(" ".join(phrase) for phrase in _entries(vocabulary.elsewhere))
        self._names = self._named(vocabulary)
        self._words = _Words(self._names)
        self._sayings: dict[str, Sequence[Saying]] = {}

    def sayings(self, written: str) -> Sequence[Saying]:
        """The sentences of a text in which they are parted by commas; what is written down is read only once."""
        if written not in self._sayings:
            # Tuples, because the garbage collector need not look into tuples of texts again and again.
            sentences = [tuple(saying.split()) for saying in written.split(",") if saying]
            self._sayings[written] = [Saying(words, tuple(self.signs(words))) for words in sentences]
        return self._sayings[written]

    def kind(self, thing: str) -> str:
        return self._kinds.get(thing, "")

    def signs(self, words: Sequence[str]) -> list[str]:
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

    def _named(self, vocabulary: Vocabulary) -> Mapping[_Stems, Sequence[str]]:
        """What each name means, and of what kind that is."""
        names: dict[_Stems, list[str]] = defaultdict(list)
        for thing, others in vocabulary.names.items():
            for other in _entries(others):
                names[other] += [thing, kind] if (kind := self.kind(thing)) else [thing]
        for phrase in _entries(vocabulary.elsewhere):
            names.setdefault(phrase, [" ".join(phrase)])
        return dict(names)


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
        found = _Word(tuple(length for length in lengths if length > 1), tuple(told), is_paired)
        if len(self) < _MOST_WORDS:
            self[word] = found
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


# A vocabulary is that of a whole server, and of each of its views.
_SPEECHES: Final[WeakKeyDictionary[Vocabulary, Speech]] = WeakKeyDictionary()


def speech_of(vocabulary: Vocabulary) -> Speech:
    if vocabulary not in _SPEECHES:
        _SPEECHES[vocabulary] = Speech(vocabulary)
    return _SPEECHES[vocabulary]
