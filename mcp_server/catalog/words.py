"""Texts as words, and words without their endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from mcp_server.catalog import language

# Neither a longer sentence nor a longer word says more of what is meant.
_READ: Final = 600
_LONGEST_WORD: Final = 24
# Callers may say any words.
_KEPT: Final = 20_000
_SHORTEST_PLURAL, _SHORTEST_BASE, _SHORTEST_WITH_E = 4, 4, 5

_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_ADDRESS: Final = re.compile(r"https?://\S+")
# Numbers, ids, paths and addresses are what it is to be done with. Only that there is one says something.
_ARGUMENT: Final = re.compile(r"(?<!\w)[#@!]?\S*(?:\d|[\w)][/\\_@.][\w(])\S*")
_FILE: Final = re.compile(r"[\w./\\-]{0,80}[a-z][\w-]{0,80}\.[a-z]{1,6}[^\w/]{0,9}", re.IGNORECASE)
# What somebody says they do not want, up to the end of the clause.
_UNWANTED: Final = re.compile(r"\b(?:without|rather than|instead of|sans|au lieu d\w*)\b[^,.;:]*", re.IGNORECASE)
# The id of a commit, and any other id of letters and digits.
_COMMIT: Final = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_ID: Final = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+|\d+")
# A word with a capital that begins no sentence, and what is written with hyphens.
_NAME: Final = re.compile(r"(?<=[\w,;] )[A-Z](?![A-Z]+\b)\w+|\b\w++(?:-\w++)++")
_NEGATION: Final = re.compile(r"n't\b")
_CLAUSE: Final = re.compile(r"(?<![,;:.!?])[,;:.!?]++(?: |$)| - |\b(?:and|et|und)\b", re.IGNORECASE)

# Stands for any number or id.
NUMBER: Final = "0"


def said(text: str) -> str:
    """The sentence without what is not wanted, and what it quotes: texts, names and numbers to do something with."""
    text = _ADDRESS.sub(" url ", _QUOTED.sub(" ", text[:_READ].replace("\u2019", "'")))
    before, _, after = text.partition(": ")
    if after and len(before.split()) > 1:
        text = after if after.split()[0].lower() in language.ASKING else before
    text = _COMMIT.sub(" commit 0 ", _ID.sub(" 0 ", text))
    return _ARGUMENT.sub(lambda found: _kind_of(found[0]), _UNWANTED.sub(" ", text))


def _kind_of(argument: str) -> str:
    if _FILE.fullmatch(argument):
        return " file "
    return " 0 " if any(character.isdigit() for character in argument) else " "


def words_of(text: str) -> list[str]:
    found = _WORD.findall(_NEGATION.sub(" not ", plain(text.lower().replace("_", " "))))
    return [NUMBER if word[0].isdigit() else word[:_LONGEST_WORD] for word in found]


def clauses_of(text: str) -> list[str]:
    return _CLAUSE.split(text)


def without_quoted(words: list[str]) -> list[str]:
    """The words before what somebody wrote, or called something."""
    quoting = next((at for at, word in enumerate(words) if at and word in language.QUOTING), len(words))
    return _without_told(words[:quoting])


def _without_told(words: list[str]) -> list[str]:
    """The words before what is to be told: say on ticket 7 that it is fixed."""
    telling = next((at for at, word in enumerate(words) if word in language.TELLING), len(words))
    if not language.TO_US.isdisjoint(words[telling + 1 : telling + 2]):
        return words
    told = (at for at, word in enumerate(words) if word in language.TOLD and NUMBER in words[telling:at])
    return words[: next(told, len(words))]


def about(words: list[str]) -> list[str]:
    """The words that say what something is about."""
    before = next((at for at, word in enumerate(words) if word in language.ABOUT), len(words))
    return words[before + 1 :]


def plain(text: str) -> str:
    """The text without accents."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return "".join(character for character in parts if not unicodedata.combining(character))


def names_in(text: str) -> frozenset[str]:
    """The words of what may be names: where they mean nothing else, they are no kind of thing."""
    return frozenset(stem(word) for found in _NAME.findall(text) for word in words_of(found))


@lru_cache(_KEPT)
def stem(word: str) -> str:
    """The word without its ending, in a rough way: it only has to be the same for the forms of one word."""
    word = _base(_singular(word))
    return word[:-1] if word.endswith("e") and len(word) >= _SHORTEST_WITH_E else word


def _base(word: str) -> str:
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= _SHORTEST_BASE:
            return _undoubled(base)
        if base != word and len(base) == _SHORTEST_BASE - 1 and base[-1] != base[-2]:
            return f"{base}e"
    return word


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
