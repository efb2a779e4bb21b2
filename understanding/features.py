"""Extracts the features of a sentence: words, word pairs and parts of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final
from zlib import crc32

# The number of hash buckets for features. Collisions are rare, and other features compensate for them.
BUCKETS: Final = 1 << 15
# The maximum number of characters that are read from a sentence, and from a word. Further characters add no meaning.
_READ: Final = 600
_LONGEST_WORD: Final = 24
_PARTS: Final = (3, 4, 5)

_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_ADDRESS: Final = re.compile(r"https?://\S+")
# Matches paths, mentions and similar arguments. Placeholders replace these arguments, because their content does not
# matter.
_ARGUMENT: Final = re.compile(r"(?<!\w)[#@!]?\S*(?:\d|[\w)][/\\_@.][\w(])\S*")
_FILE: Final = re.compile(r"[\w./\\-]{0,80}[a-z][\w-]{0,80}\.[a-z]{1,6}[^\w/]{0,9}", re.IGNORECASE)
# Matches a commit hash, or another id of letters and digits.
_COMMIT: Final = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_ID: Final = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+|\d+")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_NEGATION: Final = re.compile(r"n't\b")

# The placeholder for every number and id.
NUMBER: Final = "0"


def words_of(text: str) -> list[str]:
    """Return the words of a sentence or name, in lowercase and without accents."""
    found = _WORD.findall(_NEGATION.sub(" not ", _plain(text.lower().replace("_", " "))))
    return [NUMBER if word[0].isdigit() else word[:_LONGEST_WORD] for word in found]


def said(text: str) -> str:
    """Replace quotations, URLs, ids and paths in a sentence with placeholders."""
    text = _ADDRESS.sub(" url ", _QUOTED.sub(" quoted ", text[:_READ].replace("\u2019", "'")))
    text = _COMMIT.sub(" commit 0 ", _ID.sub(" 0 ", text))
    return _ARGUMENT.sub(lambda found: _kind_of(found[0]), text)


def buckets_of(words: Sequence[str]) -> Sequence[int]:
    """Return the distinct hash buckets of all features of a sentence."""
    return sorted({crc32(feature.encode()) % BUCKETS for feature in _features(words)})


def _features(words: Sequence[str]) -> Iterator[str]:
    yield from (f"{one} {other}" for one, other in pairwise(("^", *words, "$")))
    for word in words:
        whole = f"<{word}>"
        yield f"={word}"
        yield from (whole[at : at + length] for length in _PARTS for at in range(len(whole) - length + 1))


def _kind_of(argument: str) -> str:
    if _FILE.fullmatch(argument):
        return " file "
    return " 0 " if any(character.isdigit() for character in argument) else f" {argument} "


def _plain(text: str) -> str:
    text = text.replace("…", "...")  # has the same result as Unicode normalization, and is faster
    if text.isascii():
        return text
    return _NOT_ASCII.sub(_not_combining, unicodedata.normalize("NFKD", text))


def _not_combining(character: re.Match[str]) -> str:
    return "" if unicodedata.combining(character[0]) else character[0]
