"""Parses search queries. Every input is a valid query, so parsing never fails with a syntax error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil
from typing import Final

from kept_index.tokenizing import may_help, stems
from refusal import Refusal

_QUOTES: Final = str.maketrans("“”„‟«»", '"' * 6)
_PARTS: Final = re.compile(r'"(?P<phrase>[^"]*)"|(?P<plain>[^"]+)')
_MOST_WORDS: Final = 12
_MOST_PHRASES: Final = 4
# A passage must contain this share of the words in a long question. If no passage does, one word is enough.
_SHARE: Final = 0.6
_FEW: Final = 2


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """A parsed query. A passage must match some of the words and all phrases. All words are stems."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]

    @property
    def needed(self) -> list[int]:
        """The minimum numbers of matching words that a search tries, in this order: a strict minimum, then 1."""
        count = len(self.words)
        strict = max(min(count, _FEW), ceil(count * _SHARE))
        return [strict, 1] if strict > 1 else [strict]


def read_query(text: str) -> DocumentQuery:
    """Parse the words and "quoted phrases" of a query. Raise a Refusal if there is nothing to search for."""
    words: dict[str, None] = {}
    phrases: dict[tuple[str, ...], None] = {}
    for part in _PARTS.finditer(text.translate(_QUOTES)):
        found = stems(part[0])
        if part["phrase"] is not None and found:
            phrases[tuple(found[:_MOST_WORDS])] = None
        else:
            words |= dict.fromkeys(filter(may_help, found))
    if not words and not phrases:
        raise Refusal("The query contains only common words. Describe the subject in a few words.")
    return DocumentQuery(tuple(words)[:_MOST_WORDS], tuple(phrases)[:_MOST_PHRASES])
