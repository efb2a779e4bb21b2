"""What a sentence wants done, as its verb says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from mcp_server.catalog import language
from mcp_server.catalog.words import NUMBER, stem

_SHORTEST_INFINITIVE: Final = 6
_POLITE: Final = re.compile(rf"(?:{language.POLITE.replace(',', '|')}) ")
_PARTICIPLE: Final = re.compile(r"\w{2,}ed$|\w{2,}(?:é|ée|és|ées)$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done, and the verb that says so; a sentence may have none, or ask to be told something."""

    verb: str = ""
    actions: frozenset[str] = frozenset()
    asks: bool = False
    is_late: bool = False


def wanted(clauses: Sequence[Sequence[str]]) -> Wanted:
    """What the first clause wants; where it only tells or asks something, what a later one demands."""
    first, *later = [_wanted(clause) for clause in clauses] or [Wanted()]
    if first.actions == language.DONE_ELSEWHERE:
        return next((each for each in later if each.asks), first)
    demands = (each for each, clause in zip(later, clauses[1:], strict=True) if _is_demand(clause))
    return next(demands, first) if first.is_late or first.asks else first


def _is_demand(clause: Sequence[str]) -> bool:
    """Whether a clause begins with a verb and goes on with what it is to be done to."""
    words = [word for word in clause if word not in language.LEADING]
    if _to_be_done(words):
        return True
    if not words or (words[1:2] and words[1] not in language.OBJECTS):
        return False
    return words[0] in verbs() or bool(_phrasal(words))


def _wanted(words: Sequence[str]) -> Wanted:
    words = _unpolite(words)
    phrasal = _phrasal(words) | _to_be_done(words)
    at = next((at for at, word in enumerate(words) if is_verb(word) or word not in language.FILLERS), 0)
    first = words[at] if words else ""
    if first in language.QUESTIONS:
        return Wanted(asks=True)
    if first in language.ASKING and not _tells_others(words, at):
        return Wanted(actions=phrasal, asks=not phrasal)
    later = (word for word in words if word not in language.ALSO_THINGS and not _PARTICIPLE.match(word))
    if language.NEGATIONS & set(words[: at + 1]):
        return Wanted(actions=phrasal, asks=not phrasal)
    begins = first in verbs() and not _is_thing(words, at)
    verb = first if begins else next((word for word in later if word in verbs()), "")
    return Wanted(stem(verb), verbs().get(verb, frozenset()) | phrasal, is_late=not begins)


def _to_be_done(words: Sequence[str]) -> frozenset[str]:
    """What is to be done, where it is said that it can, should or has to be done."""
    done = (after for before, be, after in zip(words, words[1:], words[2:], strict=False) if _is_due(before, be))
    return frozenset().union(*(_by_stem().get(stem(participle), ()) for participle in done))


def _is_due(before: str, be: str) -> bool:
    return be == "be" and before in language.DUE


@cache
def _by_stem() -> Mapping[str, frozenset[str]]:
    return {stem(verb): actions for verb, actions in verbs().items()}


def _tells_others(words: Sequence[str], at: int) -> bool:
    """Whether what is asked for is to tell it to others: tell the author, but not tell me."""
    told = words[at + 1 : at + 2]
    return words[at] in language.TELLING and bool(told) and told[0] not in language.TO_US | language.ASKING


def _is_thing(words: Sequence[str], at: int) -> bool:
    """Whether what may be a verb is a thing here: the deploy, log of main, run 12."""
    if at and words[at - 1] in language.ARTICLES:
        return True
    if words[at] == "open" and any(word[-1] == "s" for word in words[at + 1 : at + 3]):
        return words[at + 1] not in language.ARTICLES
    if words[at] in language.ALSO_THINGS and words[at + 1 : at + 2] in (["of"], ["de"], ["du"], ["von"]):
        return True
    return words[at] in language.NUMBERED and words[at + 1 : at + 2] == [NUMBER]


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
    if word.endswith("er") and len(word) > _SHORTEST_INFINITIVE:
        yield from (f"{word[:-2]}{ending}" for ending in ("e", "ez", "ons"))


@cache
def verb_stems() -> frozenset[str]:
    return frozenset(map(stem, verbs()))


def is_verb(word: str) -> bool:
    return word in verbs() or word in language.ASKING
