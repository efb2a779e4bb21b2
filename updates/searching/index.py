"""Opens and searches an index of Azure updates."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Self

from pydantic import TypeAdapter
from tantivy import Query as IndexQuery

from kept_index.archive import opened
from kept_index.search_folder import open_folder
from kept_index.tokenizing import clean, spellings, stems
from refusal import Refusal
from updates.searching.easing import easier, easiest
from updates.searching.filtering import Filtering
from updates.searching.index_format import ANY_RING, FACTS, ID, LIVE, STATISTICS, TEXT, UPDATES
from updates.searching.index_words import is_telling
from updates.searching.matching import Matching
from updates.searching.meanings import Meanings
from updates.searching.nearness import RANKED_ANEW, Nearness
from updates.searching.ordering import SearchOrder, read_order
from updates.searching.paging import ResultPage, ResultPaging
from updates.searching.query import UpdateQuery, read_query
from updates.searching.rows import UpdateRows
from updates.searching.search import FoundRow, FoundUpdate, SearchFilters, SearchResults, UpdateSearch
from updates.searching.spelling import Spelling
from updates.searching.statistics import SAMPLE, Facts, Statistics
from updates.searching.vocabulary import KINDS, UpdateVocabulary

LARGEST_PAGE = 100
LONGEST_QUERY = 2_000
MOST_PHRASES = 16  # limited, because each phrase is searched in all updates
_DETAILS = ("brief", "summary", "full")
_FEW_WORDS = 4
# The number of decimal places of scores. Scores have only seven exact digits, so further decimal places would be noise.
_DIGITS = 2
_FACTS, _STATISTICS = TypeAdapter(Facts), TypeAdapter(Statistics)


class UpdatesIndex:
    """An immutable index of all Azure updates. Threads can search it concurrently."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schema, self._searcher = open_folder(folder / UPDATES)
        self._rows = UpdateRows(folder)
        self.facts = _FACTS.validate_json((folder / FACTS).read_bytes())
        self.is_sample = SAMPLE in self.facts.about
        self.vocabulary = UpdateVocabulary(self.facts.counts)
        self._matching = Matching(self._schema, self._searcher)
        self._filtering = Filtering(self._schema, self.vocabulary)
        self._paging = ResultPaging(self._schema, self._searcher)

    @classmethod
    def open(cls, content: bytes) -> Self:
        """Open an index. The index files stay on the local disk as long as the index is used."""
        return opened(content, cls, "updates-index-")

    def search(self, request: UpdateSearch) -> SearchResults:
        """Search updates.

        Raises:
            Refusal: A filter, date, sort order or page size is invalid. The message contains the invalid value.
        """
        _check_page(request)
        query = _query(request)
        order = _order(request, query)
        match, page = self._first_found(query, order, request)
        return SearchResults(
            rows=self._shown(match, page, request, ranked=query.ranks),
            total=page.total,
            limit=request.limit,
            offset=request.offset,
            facets=self._facets(match) if request.facets else None,
            did_you_mean=self._did_you_mean(request.query, query, page.total),
            near=page.near,
            instead={} if page.total else self._instead(query, request.filters),
        )

    def documents(self, request: UpdateSearch) -> list[int]:
        """Return the document numbers of matching updates. The request's limit may exceed the maximum size of a page.

        Raises:
            Refusal: A filter, date or sort order is invalid. The message contains the invalid value.
        """
        query = _query(request)
        return self._first_found(query, _order(request, query), request)[1].documents

    def matching(self, query: str, filters: SearchFilters) -> frozenset[str]:
        """Return the ids of all updates that match the words and filters.

        Raises:
            Refusal: A filter or date is invalid. The message contains the invalid value.
        """
        search = UpdateSearch(query, filters, "modified", limit=max(1, self._searcher.num_docs))
        return frozenset(self._rows.row(document).document["id"] for document in self.documents(search))

    def update(self, document: int) -> FoundUpdate:
        """Return the update with this document number, including the update's summary."""
        row = self._rows.row(document)
        return FoundRow(row, row.summary).update

    def body(self, document: int) -> str:
        """Return the full text, in Markdown, of the update with this document number."""
        return self._rows.body(document)

    def find(self, update_id: str) -> FoundUpdate:
        """Return an update in full, even if it is withdrawn.

        Raises:
            Refusal: No update has this id.
        """
        wanted = clean(update_id).strip().casefold()
        hits = self._searcher.search(IndexQuery.term_query(self._schema, ID, wanted), limit=1, count=False).hits
        if not hits:
            raise Refusal(f"No update has the id {update_id[:80]!r}. Search for the update to find its id.")
        document = hits[0][1].doc
        return FoundRow(self._rows.row(document), self._rows.body(document)).update

    def ids(self, beginning: str, limit: int) -> list[str]:
        """Return update ids with this prefix, sorted."""
        return [term for term, _ in self._searcher.terms_with_prefix(ID, clean(beginning).casefold(), limit=limit)]

    @cached_property
    def statistics(self) -> Statistics:
        return _STATISTICS.validate_json((self._folder / STATISTICS).read_bytes())

    def _first_found(
        self, query: UpdateQuery, order: SearchOrder, request: UpdateSearch
    ) -> tuple[IndexQuery, ResultPage]:
        filters = self._filtering.clauses(request.filters)
        rings = self._filtering.rings(request.filters)
        ring = rings[0] if len(rings) == 1 else ANY_RING
        by_meaning = request.semantic and bool(query.words) and order.is_usual_relevance
        offset, limit = (0, RANKED_ANEW) if by_meaning else (request.offset, request.limit)
        for attempt in self._matching.attempts(query):
            match = IndexQuery.boolean_query([*attempt.clauses, *filters])
            page = self._paging.page(match, order, ring, offset, limit)
            if page.total:
                break
        if by_meaning and page.total:
            # If the strict query already requires only one word, there are no looser matches.
            is_loosened = attempt.needed != 1 and page.total < RANKED_ANEW
            loose = IndexQuery.boolean_query([*self._matching.loosely(query), *filters]) if is_loosened else None
            page = self._nearness.page(request, match, page, loose)
        return match, page

    def _instead(self, query: UpdateQuery, filters: SearchFilters) -> dict[str, int]:
        """If a search has no results, return the conditions that prevent results. For each of these conditions, return
        the number of results without the condition.
        """
        for searches in (easier(query, filters), easiest(query, filters)):
            found = {words: self._count(less, filters) for words, less, filters in searches}
            if any(found.values()):
                return {words: found[words] for words in sorted(found, key=lambda words: -found[words]) if found[words]}
        return {}

    def _count(self, query: UpdateQuery, filters: SearchFilters) -> int:
        clauses = self._filtering.clauses(filters)
        return self._paging.count(IndexQuery.boolean_query([*next(self._matching.attempts(query)).clauses, *clauses]))

    def _shown(
        self, match: IndexQuery, page: ResultPage, request: UpdateSearch, *, ranked: bool
    ) -> tuple[FoundRow, ...]:
        rows = {document: self._rows.row(document) for document in page.documents}
        scores = page.scores
        if ranked and not scores:
            scores = self._paging.scores(match, [clean(row.document["id"]).casefold() for row in rows.values()])
        body = self._rows.body if request.detail == "full" else None
        return tuple(
            FoundRow(row, body(document) if body else row.summary, _rounded(scores.get(document)))
            for document, row in rows.items()
        )

    def _facets(self, match: IndexQuery) -> dict[str, dict[str, int]]:
        """Count how often each value occurs in all matching updates, most frequent value first."""
        facets: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
        counts = self._paging.labels(match, len(self.vocabulary) + 1)
        for label in sorted(counts.keys() - {LIVE}, key=lambda label: (-counts[label], label)):
            kind, value = self.vocabulary.kind_and_value(label)
            facets[kind][value] = counts[label]
        return facets

    def _did_you_mean(self, text: str, query: UpdateQuery, total: int) -> str | None:
        """Return the query with each unknown word replaced by a similar known word, or None if nothing is replaced.

        An unknown word is probably a typo if the query is short. A long query is corrected only if it has no results.
        """
        if total and len(query.words) > _FEW_WORDS:
            return None
        corrected = re.sub(r"[^\W_]+", lambda word: self._known_word(word[0]), text)
        return None if corrected == text else corrected

    def _known_word(self, word: str) -> str:
        found = stems(word)
        if len(found) != 1 or not is_telling(found[0]) or self._searcher.doc_freq(TEXT, found[0]):
            return word
        return self._spelling.nearest(spellings(word)[0]) or word

    @cached_property
    def _nearness(self) -> Nearness:
        return Nearness(self._paging, Meanings(self._folder))

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._folder)


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, _DIGITS)


def _query(request: UpdateSearch) -> UpdateQuery:
    if len(request.query) > LONGEST_QUERY:
        raise Refusal(f"The query is {len(request.query)} characters long; the maximum is {LONGEST_QUERY}.")
    query = read_query(request.query)
    if len(query.phrases) + len(query.excluded) > MOST_PHRASES:
        raise Refusal(f"A query can have at most {MOST_PHRASES} phrases and exclusions. Use several searches.")
    return query


def _order(request: UpdateSearch, query: UpdateQuery) -> SearchOrder:
    return read_order(request.sort_by, ranked=query.ranks and not (query.newest_first and request.sort_by is None))


def _check_page(request: UpdateSearch) -> None:
    if not 1 <= request.limit <= LARGEST_PAGE:
        raise Refusal(f"limit must be from 1 to {LARGEST_PAGE}; it is {request.limit}.")
    if request.offset < 0:
        raise Refusal(f"offset must be 0 or more; it is {request.offset}.")
    if request.detail not in _DETAILS:
        raise Refusal(f"detail must be {' or '.join(_DETAILS)}; it is {request.detail[:40]!r}.")
