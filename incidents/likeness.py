"""Compares the name of an application with the name of a possible repository or pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"[a-z]+|\d+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Common words that do not identify an application.
_WEAK: Final = frozenset(
    "prod production prd dev development tst test stg stage staging qa uat app apps application web site api func"
    " function functions svc service rg group plan the ci cd build release deploy deployment pipeline main azure infra"
    " job yaml yml asp kv sql db st vm aks".split()
)
# Words that name production environments.
_LIVE: Final = frozenset({"prod", "production", "prd", "live"})
_OTHERS: Final = frozenset("dev development tst test testing stg stage staging qa uat int integration sandbox".split())
_SHORTEST_BEGINNING: Final = 4

SAME: Final = 0.85
CONTAINED: Final = 0.7
AKIN: Final = 0.5


def likeness(one: str, other: str) -> float:
    """Return the similarity of two names: SAME, CONTAINED if one name contains the words of the other, AKIN if the
    names share only a distinctive word, or 0.
    """
    words, others = _words(one), _words(other)
    strong, strong_others = words - _WEAK, others - _WEAK
    if not strong or not strong_others:
        return SAME if words and words == others else 0.0
    if strong == strong_others and (words <= others or others <= words):
        return SAME
    if _all_in(words, others) or _all_in(others, words):
        return CONTAINED
    return AKIN if strong & strong_others else 0.0


def _all_in(few: frozenset[str], many: frozenset[str]) -> bool:
    """Check whether each word of one name matches a word of the other. Words match if one starts with the other."""
    return all(any(_is_alike(word, other) for other in many) for word in few)


def _is_alike(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return word == other or (len(shorter) >= _SHORTEST_BEGINNING and longer.startswith(shorter))


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_CAMEL.sub(" ", name).lower()))


def is_named_in(name: str, text: str) -> bool:
    """Check whether a text contains exactly this name. A longer name that contains the name does not count."""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE))


def is_elsewhere(own: Iterable[str], other: str) -> bool:
    """Check whether one name belongs to production and the other to a test environment."""
    words = frozenset().union(*map(_words, own))
    others = _words(other)
    return bool((words & _LIVE and others & _OTHERS) or (words & _OTHERS and others & _LIVE))
