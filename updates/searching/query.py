"""What a search query asks for. Whatever is typed has a meaning, so nothing is a syntax error."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kept_index.tokenizing import may_help, stems
from updates.searching.index_words import as_words, asks_for_newest, is_telling

_QUOTES = str.maketrans("“”„‟«»", '"' * 6)
# A minus excludes only at the beginning of a word: in auto-repair it is a hyphen, and alone it is a dash.
_PARTS = re.compile(
    r"""
    (?P<without>(?<!\S)-)? "(?P<phrase>[^"]*)"
    | (?<!\S)-(?=\w)(?P<excluded>[^\s"]+)
    | (?P<plain>[^\s"]+)
    """,
    re.VERBOSE,
)

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UpdateQuery:
    """Words to look for, in their order; phrases that must occur; and what must not occur. All are stems."""

    words: Stems = ()
    phrases: tuple[Stems, ...] = ()
    excluded: tuple[Stems, ...] = ()
    newest_first: bool = False

    @property
    def ranks(self) -> bool:
        return bool(self.words or self.phrases)


def read_query(text: str) -> UpdateQuery:
    """Read words, "quoted phrases", -words and -"phrases" to exclude. Words that only ask are left out."""
    words: list[str] = []
    phrases: list[Stems] = []
    excluded: list[Stems] = []
    for part in _PARTS.finditer(as_words(text.translate(_QUOTES))):
        plain, phrase = part["plain"], part["phrase"]
        if plain is not None:
            words += stems(plain)
        elif found := tuple(stems(part["excluded"] if phrase is None else phrase)):
            (phrases if phrase is not None and not part["without"] else excluded).append(found)
    if not any(map(is_telling, words)):
        words = []
    helping = tuple(filter(may_help, words))
    return UpdateQuery(
        words=helping,
        phrases=tuple(dict.fromkeys(phrases)),
        excluded=tuple(dict.fromkeys(excluded)),
        # Further back it is a part of what is described, such as the latest version of something.
        newest_first=any(map(asks_for_newest, helping[:2])),
    )
