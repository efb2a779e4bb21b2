"""Builds an index query from a search query. Queries are built from objects, so no text can break the syntax."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from tantivy import Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from updates.searching.index_format import LABEL, TEXT
from updates.searching.index_words import is_telling
from updates.searching.query import Stems, UpdateQuery

Clause = tuple[Occur, IndexQuery]

# These limits were measured with paraphrased titles and texts. With more words or pairs, searches take longer but find
# no additional updates.
_MOST_WORDS = 12
_COMMON = 1 / 2  # words that occur in a larger share of updates are not distinctive
_COMMON_IN_PAIR = 1 / 4
_PAIR_WEIGHT = 0.5
_WORDS_BETWEEN_PAIR = 1
_FEWEST_NEEDED = 2
_SHARE_NEEDED = 1 / 4


class QueryAttempt(NamedTuple):
    """An index query, and the number of distinctive words that it requires."""

    clauses: list[Clause]
    needed: int = 0


class Matching:
    """Builds queries for one index."""

    def __init__(self, schema: Schema, searcher: Searcher) -> None:
        self._schema = schema
        self._searcher = searcher

    def attempts(self, query: UpdateQuery) -> Iterator[QueryAttempt]:
        """Yield index queries, strictest first. If a query finds nothing, callers try the next query."""
        must = self._musts(query)
        if not query.words:
            yield QueryAttempt(must)
            return
        telling, should = self._required(query)
        for needed in _needed(len(telling)):
            yield QueryAttempt([*must, self._some(telling, needed), *should], needed)
        if query.phrases:
            yield QueryAttempt([*must, *should])

    def loosely(self, query: UpdateQuery) -> list[Clause]:
        """Return a query that matches updates with at least one distinctive word.

        Each update gets the same score from this query as from the queries that `attempts` yields.
        """
        telling, should = self._required(query)
        return [*self._musts(query), self._some(telling, 1), *should]

    def _musts(self, query: UpdateQuery) -> list[Clause]:
        must = [(Occur.Must, self._sequence(phrase)) for phrase in query.phrases]
        return must + [(Occur.MustNot, self._sequence(stems)) for stems in query.excluded]

    def _required(self, query: UpdateQuery) -> tuple[list[str], list[Clause]]:
        """Return two results: the words that updates must contain, and the clauses that only affect the ranking."""
        counts = {stem: self._searcher.doc_freq(TEXT, stem) for stem in dict.fromkeys(query.words)}
        telling, helping = self._chosen(counts)
        better = [*map(self._term, helping), *self._pairs(query.words, counts, {*telling, *helping})]
        return telling, [(Occur.Should, part) for part in better]

    def _chosen(self, counts: Mapping[str, int]) -> tuple[list[str], list[str]]:
        """Split the query words into required words and ranking words. Long queries keep only the rarest words."""
        common = self._searcher.num_docs * _COMMON
        telling = {stem for stem, count in counts.items() if is_telling(stem) and count <= common}
        if not telling:
            telling = set(filter(is_telling, counts))
        by_rarity = sorted(counts, key=lambda stem: (stem not in telling, counts[stem]))
        chosen = [stem for stem in by_rarity if counts[stem]][:_MOST_WORDS]
        return [stem for stem in chosen if stem in telling], [stem for stem in chosen if stem not in telling]

    def _some(self, stems: Iterable[str], needed: int) -> Clause:
        terms = [(Occur.Should, self._term(stem)) for stem in stems]
        return Occur.Must, IndexQuery.boolean_query(terms, needed)

    def _pairs(self, words: Stems, counts: Mapping[str, int], chosen: Container[str]) -> Iterator[IndexQuery]:
        """Yield clauses that rank an update higher if two adjacent query words are adjacent, or almost adjacent, in the
        update.
        """
        common = self._searcher.num_docs * _COMMON_IN_PAIR
        usable = {stem for stem, count in counts.items() if stem in chosen and count <= common}
        for pair in dict.fromkeys(pairwise(words)):
            if usable.issuperset(pair) and pair[0] != pair[1]:
                phrase = IndexQuery.phrase_query(self._schema, TEXT, list(pair), slop=_WORDS_BETWEEN_PAIR)
                yield IndexQuery.boost_query(phrase, _PAIR_WEIGHT)

    def _sequence(self, stems: Stems) -> IndexQuery:
        # tantivy panics on a phrase of one word.
        return self._term(stems[0]) if len(stems) == 1 else IndexQuery.phrase_query(self._schema, TEXT, list(stems))

    def _term(self, stem: str) -> IndexQuery:
        return IndexQuery.term_query(self._schema, TEXT, stem)


def labelled(schema: Schema, labels: Iterable[int]) -> Clause:
    """Return a clause for updates with one of these labels."""
    terms = [(Occur.Should, IndexQuery.term_query(schema, LABEL, label)) for label in labels]
    return unscored(IndexQuery.boolean_query(terms))


def unscored(query: IndexQuery) -> Clause:
    """Return a clause that requires a match without changing the score."""
    return Occur.Must, IndexQuery.const_score_query(query, 0.0)


def _needed(words: int) -> list[int]:
    """For each attempt, return how many distinctive words must match. The first attempt requires two words, or a
    quarter of the words if there are many. The second attempt requires one word.
    """
    strict = max(min(words, _FEWEST_NEEDED), ceil(words * _SHARE_NEEDED))
    return [strict, 1] if strict > 1 else [strict]
