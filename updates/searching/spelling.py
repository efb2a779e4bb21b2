"""Corrects typos in queries: finds words in updates with a similar spelling."""

from __future__ import annotations

from pathlib import Path

from tantivy import Query as IndexQuery

from kept_index.search_folder import open_folder
from updates.searching.index_format import WORD, WORD_LIST, WORDS

# The minimum length of a word in which one typo is corrected, and the minimum length for two typos. Shorter words are
# too similar to each other.
_LETTERS_AND_MISTAKES = ((4, 1), (7, 2))
_LONGEST = 30


class Spelling:
    """The words of one index, most frequent first."""

    def __init__(self, folder: Path) -> None:
        self._schema, self._searcher = open_folder(folder / WORDS)
        self._words = (folder / WORD_LIST).read_text(encoding="utf-8").split()

    def nearest(self, word: str) -> str | None:
        """Return the word with the smallest edit distance. If several words are equally close, return the most frequent
        word.
        """
        for letters, mistakes in _LETTERS_AND_MISTAKES:
            if letters <= len(word) <= _LONGEST and (found := self._similar(word, mistakes)):
                return found
        return None

    def _similar(self, word: str, mistakes: int) -> str | None:
        query = IndexQuery.fuzzy_term_query(self._schema, WORD, word, distance=mistakes)
        hits = self._searcher.search(query, limit=1, count=False).hits
        return self._words[hits[0][1].doc] if hits else None
