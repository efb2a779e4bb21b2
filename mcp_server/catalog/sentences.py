"""Reads what people write: the things they speak of, and what they want done with them."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from mcp_server.catalog import language
from mcp_server.declarations.vocabulary import Vocabulary

# Neither a longer sentence nor a longer word says more of what is meant.
_READ: Final = 600
_LONGEST_WORD: Final = 24
_SHORTEST_PLURAL, _SHORTEST_FORM, _SHORTEST_TYPO = 4, 6, 4
_SHORTEST_LACKING, _SHORTEST_SPARE, _SHORTEST_WRONG = 5, 6, 7

_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_ADDRESS: Final = re.compile(r"https?://\S+")
# Numbers, ids, paths and addresses are what it is to be done with, and say nothing of what.
_ARGUMENT: Final = re.compile(r"(?<!\w)[#@!]?\S*(?:\d|[\w)][/\\_@.][\w(])\S*")
# What somebody says they do not want, up to the end of the clause.
_UNWANTED: Final = re.compile(r"\b(?:without|rather than|instead of|sans|au lieu d\w*)\b[^,.;:]*", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+")
_CAPITAL: Final = re.compile(r"(?<=[\w,;] )[A-Z]\w+")
_POLITE: Final = re.compile(rf"(?:{language.POLITE.replace(',', '|')}) ")
_PARTICIPLE: Final = re.compile(r"\w{2,}ed$|\w{2,}(?:é|ée|és|ées)$")

_Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done, and the verb that says so; a sentence may have none, or ask to be told something."""

    verb: str = ""
    actions: frozenset[str] = frozenset()
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    # The things spoken of, and the words that nobody here knows.
    terms: Sequence[str]
    unknown: Collection[str]
    wanted: Wanted


class Reader:
    """Reads sentences in the words of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words: set[str] = set()
        self._terms_known: set[str] = set()

    def of_tool(self, text: str) -> tuple[str, ...]:
        """The things that are spoken of where a tool is described, every word of which is known from now on."""
        words = words_of(text)
        terms = tuple(dict.fromkeys(self._terms(words)))
        self._words.update(words)
        self._terms_known.update(terms)
        return terms

    def of_caller(self, text: str) -> Sentence:
        said = _said(text)
        words = [self._mended(word) for word in words_of(said)]
        terms = dict.fromkeys(self._terms(words))
        known = [term for term in terms if self._is_known(term)]
        return Sentence(known, terms.keys() - set(known) - _capitalized(said), wanted(words))

    def _is_known(self, term: str) -> bool:
        return term in self._terms_known or term in self.elsewhere or self.kind(term) in self._terms_known

    def kind(self, term: str) -> str:
        return self._vocabulary.kinds.get(term, "")

    def _terms(self, words: Sequence[str]) -> Iterator[str]:
        """The longest names that are in these words, and the words between them that say something."""
        stems = [stem(word) for word in words]
        at = 0
        while at < len(stems):
            length, meant = self._longest_name(stems, at)
            if length:
                yield from meant
            elif words[at] not in language.FILLERS and not is_verb(words[at]):
                yield stems[at]
            at += max(length, 1)

    def _longest_name(self, stems: Sequence[str], at: int) -> tuple[int, Sequence[str]]:
        for name, meant in self._names.get(stems[at], ()):
            if tuple(stems[at : at + len(name)]) == name:
                return len(name), meant
        return 0, ()

    @cached_property
    def _names(self) -> Mapping[str, Sequence[tuple[_Stems, Sequence[str]]]]:
        """What each name means, by its first word; the longest first."""
        names: dict[_Stems, list[str]] = defaultdict(list)
        for name, others in self._vocabulary.names.items():
            for other in _entries(others):
                names[other].append(name)
        for phrase in _entries(self._vocabulary.elsewhere):
            names.setdefault(phrase, [" ".join(phrase)])
        by_first: dict[str, list[tuple[_Stems, Sequence[str]]]] = defaultdict(list)
        for phrase in sorted(names, key=len, reverse=True):
            by_first[phrase[0]].append((phrase, names[phrase]))
        return by_first

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        return frozenset(" ".join(phrase) for phrase in _entries(self._vocabulary.elsewhere))

    def _mended(self, word: str) -> str:
        """The known word that this one most probably is: one letter is missing, too many, wrong or swapped."""
        if len(word) < _SHORTEST_TYPO or word in self._spelt or stem(word) in self._terms_known:
            return word
        near = {known for part in _shortened(word) for known in self._misspelt.get(part, ()) if _alike(known, word)}
        return min(near, default=word, key=lambda known: (abs(len(known) - len(word)), known))

    @cached_property
    def _spelt(self) -> frozenset[str]:
        lists = (*self._vocabulary.names.values(), self._vocabulary.elsewhere)
        named = {word for words in lists for word in _WORD.findall(words)}
        named |= {f"{word}s" for word in named}
        return frozenset(named | self._words | verbs().keys() | language.ASKING | language.FILLERS)

    @cached_property
    def _misspelt(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for word in self._spelt:
            if len(word) >= _SHORTEST_TYPO:
                for part in _shortened(word):
                    found[part].append(word)
        return found


@cache
def stem(word: str) -> str:
    """The word without its ending, in a rough way: it only has to be the same for the forms of one word."""
    word = _singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_FORM - len(ending):
            word = _undoubled(word.removesuffix(ending))
            break
    return word[:-1] if word.endswith("e") and len(word) >= _SHORTEST_PLURAL else word


def _singular(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or word in language.NO_PLURALS:
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "xes", "nches", "rches", "tches")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and word[-2] not in "siu" else word


def _undoubled(word: str) -> str:
    return word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word


def _said(text: str) -> str:
    """The sentence without what is not wanted, and what it quotes: texts, names and numbers to do something with."""
    text = _ADDRESS.sub(" url ", _QUOTED.sub(" ", text[:_READ].replace("\u2019", "'")))
    before, _, after = text.partition(": ")
    if after and len(before.split()) > 1:
        text = after if after.split()[0].lower() in language.ASKING else before
    return _ARGUMENT.sub(" ", _UNWANTED.sub(" ", text))


def words_of(text: str) -> list[str]:
    words = [word[:_LONGEST_WORD] for word in _WORD.findall(_plain(text.lower().replace("_", " ")))]
    quoting = next((at for at, word in enumerate(words) if at and word in language.QUOTING), len(words))
    return words[:quoting]


def _plain(text: str) -> str:
    """The text without accents."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return "".join(character for character in parts if not unicodedata.combining(character))


def _capitalized(text: str) -> frozenset[str]:
    """Words with a capital that begin no sentence: what they name is no kind of thing."""
    return frozenset(stem(word) for found in _CAPITAL.findall(text) for word in words_of(found))


def _entries(text: str) -> Iterator[_Stems]:
    """The phrases of a list that are parted by commas, each as the stems of its words."""
    yield from (tuple(map(stem, _WORD.findall(entry))) for entry in text.split(",") if entry.strip())


def _shortened(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _alike(known: str, word: str) -> bool:
    """Whether one may be the other, mistyped. Short words are too many for any but swapped letters."""
    if known[0] != word[0]:
        return False
    least = (_SHORTEST_SPARE, _SHORTEST_WRONG, _SHORTEST_LACKING)[
        1 + (len(known) > len(word)) - (len(known) < len(word))
    ]
    return len(word) >= least or sorted(known) == sorted(word)


def wanted(words: Sequence[str]) -> Wanted:
    words = _unpolite(words)
    phrasal = _phrasal(words)
    first = next((word for word in words if is_verb(word) or word not in language.FILLERS), "")
    if first in language.ASKING:
        return Wanted(actions=phrasal, asks=not phrasal)
    later = (word for word in words if word not in language.ALSO_THINGS and not _PARTICIPLE.match(word))
    verb = first if first in verbs() else next((word for word in later if word in verbs()), "")
    return Wanted(stem(verb), verbs().get(verb, frozenset()) | phrasal)


def _unpolite(words: Sequence[str]) -> Sequence[str]:
    text = f"{' '.join(words)} "
    while opening := _POLITE.match(text):
        text = text[opening.end() :]
    return text.split()


def _phrasal(words: Sequence[str]) -> frozenset[str]:
    text = " ".join(words)
    return frozenset(action for action, phrases in _phrases().items() if phrases.search(text))


@cache
def _phrases() -> Mapping[str, re.Pattern[str]]:
    return {action: re.compile(rf"\b(?:{phrases.replace(',', '|')})\b") for action, phrases in language.PHRASAL.items()}


@cache
def verbs() -> Mapping[str, frozenset[str]]:
    """What is asked for by each verb that does something."""
    found: dict[str, set[str]] = defaultdict(set)
    for action, words in language.ACTIONS.items():
        for word in words.split():
            for form in (word, *_conjugated(word)):
                found[form].add(action)
    return {word: frozenset(actions) for word, actions in found.items()}


def _conjugated(word: str) -> Iterator[str]:
    """How French asks with a verb of the commonest kind; of other words these forms are no words at all."""
    if word.endswith("er") and len(word) > _SHORTEST_FORM:
        yield from (f"{word[:-2]}{ending}" for ending in ("e", "ez", "ons"))


def is_verb(word: str) -> bool:
    return word in verbs() or word in language.ASKING
