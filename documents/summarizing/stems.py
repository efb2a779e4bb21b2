"""Reduces the content words of a sentence to stems, in the languages that the team uses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
# The length of a stem. In English and French, most endings start after this many letters.
_STEM: Final = 6
_SHORTEST: Final = 3
_MOST: Final = 40

_EMPTY: Final = frozenset(
    """
    the and for are was were been being has have had does did not but you your our its his her their they them this
    that these those with from into onto than then there here when where which who whom whose what why how all any each
    some such only own same too very can could may might must shall should will would also just about above after again
    against because before below between both down during few further more most nor off once other out over under until
    upon via while per one two use used using

    les des une aux que qui quoi dont est sont ete etre avoir ont avait ete pas plus par pour sur dans avec sans sous
    ses son leur leurs notre nos votre vos cette ces cet elle elles ils nous vous tout tous toute toutes mais donc car
    comme aussi ainsi alors entre chez vers lors peut peuvent doit doivent fait faire meme autre autres tres
    """.split()
)


def stems(text: str) -> list[str]:
    """Return the words of a sentence as stems, in order and without stop words."""
    return list(islice(_stems(text), _MOST))


def all_stems(text: str) -> list[str]:
    return list(_stems(text))


def _stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(_folded(text)):
        if len(word) >= _SHORTEST and word not in _EMPTY:
            yield word[:_STEM]


def _folded(text: str) -> str:
    lowered = text.casefold()
    if lowered.isascii():
        return lowered
    return "".join(letter for letter in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(letter))
