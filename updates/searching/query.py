"""Parses search queries. Every input is a valid query, so parsing never fails."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kept_index.tokenizing import may_help, spellings, stems
from updates.searching.counterparts import counterparts
from updates.searching.index_words import as_words, asks_for_newest, is_telling

_QUOTES = str.maketrans("“”„‟«»", '"' * 6)
# Only a minus at the start of a word excludes the word. The minus in auto-repair is a hyphen, and a minus
# alone is a dash.
_PARTS = re.compile(
    r"""
    (?P<without>(?<!\S)-)? "(?P<phrase>[^"]*)"
    | (?<!\S)-(?=\w)(?P<excluded>[^\s"]+)
    | (?P<plain>[^\s"]+)
    """,
    re.VERBOSE,
)

_FEW_WORDS = 4

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UpdateQuery:
    """A parsed query: words in order, required phrases, and excluded words and phrases. All are stems."""

    words: Stems = ()
    phrases: tuple[Stems, ...] = ()
    quoted: tuple[str, ...] = ()  # the phrases as the user typed them
    excluded: tuple[Stems, ...] = ()
    newest_first: bool = False

    @property
    def ranks(self) -> bool:
        return bool(self.words or self.phrases)


def read_query(text: str) -> UpdateQuery:
    """Parse words, "quoted phrases", and excluded -words and -"phrases". Stop words are dropped."""
    words: list[str] = []
    spelled: list[str] = []
    phrases: dict[Stems, str] = {}
    excluded: list[Stems] = []
    for part in _PARTS.finditer(text.translate(_QUOTES)):
        plain, phrase = part["plain"], part["phrase"]
        if plain is not None:
            words += stems(as_words(plain))
            spelled += spellings(plain)
        elif not (found := tuple(stems(as_words(part["excluded"] if phrase is None else phrase)))):
            continue
        elif phrase is not None and not part["without"]:
            phrases.setdefault(found, phrase.strip())
        else:
            excluded.append(found)
    if not any(map(is_telling, words)):
        words = []
    helping = tuple(filter(may_help, words))
    also = stems(" ".join(counterparts(spelled)))
    return UpdateQuery(
        words=(*helping, *also),
        phrases=tuple(phrases),
        quoted=tuple(phrases.values()),
        excluded=tuple(dict.fromkeys(excluded)),
        newest_first=_asks_for_newest(helping),
    )


def _asks_for_newest(words: Sequence[str]) -> bool:
    """Check whether the query asks for recent updates, for example "recent AKS changes". A query such as "the latest
    version" does not ask for recent updates.
    """
    before_asking = any(asks_for_newest(one) and not is_telling(next_one) for one, next_one in pairwise(words))
    at_the_end = len(words) <= _FEW_WORDS and asks_for_newest(words[-1]) if words else False
    return before_asking or at_the_end or any(map(asks_for_newest, words[:2]))
