"""Words that were mistyped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_SHORTEST: Final = 4
# Short words are too many for any slip but swapped letters.
_SHORTEST_LACKING, _SHORTEST_SPARE, _SHORTEST_WRONG = 4, 6, 8


class Spelling:
    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        # A slip seldom spoils the first letter.
        self._by_letter: Mapping[str, Sequence[str]] = _by_letter(self._words)

    def mended(self, word: str) -> str:
        """The known word that this one most probably is: one letter is missing, too many, wrong or swapped."""
        if len(word) < _SHORTEST or word in self._words:
            return word
        near = (known for known in self._by_letter.get(word[0], ()) if _may_be(known, word))
        return min(near, default=word, key=lambda known: (abs(len(known) - len(word)), known))


def _by_letter(words: Iterable[str]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if len(word) >= _SHORTEST:
            found[word[0]].append(word)
    return found


def _may_be(known: str, word: str) -> bool:
    match len(known) - len(word):
        case 0:
            return _has_two_swapped(known, word) or (len(word) >= _SHORTEST_WRONG and _has_one_wrong(known, word))
        case 1:
            return len(word) >= _SHORTEST_LACKING and _lacks_one(known, word)
        case -1:
            return len(word) >= _SHORTEST_SPARE and _lacks_one(word, known)
    return False


def _differing(one: str, other: str) -> int:
    """Where they begin to differ."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _lacks_one(longer: str, shorter: str) -> bool:
    at = _differing(longer, shorter)
    return longer[at + 1 :] == shorter[at:]


def _has_one_wrong(one: str, other: str) -> bool:
    at = _differing(one, other)
    return one[at + 1 :] == other[at + 1 :]


def _has_two_swapped(one: str, other: str) -> bool:
    at = _differing(one, other)
    return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
