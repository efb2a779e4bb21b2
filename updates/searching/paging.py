"""Reads pages of search results in a given order, and counts values in all matching updates."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, cast

from tantivy import DocAddress, Occur, Schema, Searcher
from tantivy import Order as IndexOrder
from tantivy import Query as IndexQuery

from updates.searching.index_format import ID, LABEL
from updates.searching.matching import unscored
from updates.searching.ordering import RELEVANCE, SearchOrder


class _Found(Protocol):
    """A search result of tantivy, with the count that tantivy's type hints omit."""

    count: int
    hits: list[tuple[Any, DocAddress]]


class ResultPage(NamedTuple):
    """A page of document numbers, the total number of matches, and the scores if the page is sorted by relevance."""

    total: int
    documents: list[int]
    scores: dict[int, float]
    near: int = 0


class ResultPaging:
    """Reads result pages from one index. Equal updates stay in index order."""

    def __init__(self, schema: Schema, searcher: Searcher) -> None:
        self._schema = schema
        self._searcher = searcher

    def page(self, match: IndexQuery, order: SearchOrder, ring: int, offset: int, limit: int) -> ResultPage:
        if offset >= self._searcher.num_docs:  # tantivy allocates memory for all skipped results
            return ResultPage(self.count(match), [], {})
        if order.by != RELEVANCE:
            return self._ordered(match, order, ring, offset, limit)
        return self._most_relevant(match, offset, limit) if order.descending else self._least(match, offset, limit)

    def count(self, match: IndexQuery) -> int:
        return self._search(match, 0, 1).count

    def scores(self, match: IndexQuery, ids: list[str]) -> dict[int, float]:
        """Return the relevance scores of these updates. All these updates must match the query."""
        these = unscored(IndexQuery.term_set_query(self._schema, ID, ids))
        # tantivy panics on a limit of 0.
        found = self._search(IndexQuery.boolean_query([these, (Occur.Must, match)]), 0, max(1, len(ids)))
        return {address.doc: score for score, address in found.hits}

    def labels(self, match: IndexQuery, size: int) -> dict[int, int]:
        """Count the matching updates for each label."""
        found = self._searcher.aggregate(match, {LABEL: {"terms": {"field": LABEL, "size": size}}})
        return {bucket["key"]: bucket["doc_count"] for bucket in found[LABEL]["buckets"]}

    def _most_relevant(self, match: IndexQuery, offset: int, limit: int) -> ResultPage:
        found = self._search(match, offset, limit)
        scores = {address.doc: score for score, address in found.hits}
        return ResultPage(found.count, list(scores), scores)

    def _least(self, match: IndexQuery, offset: int, limit: int) -> ResultPage:
        """Return a page in ascending order. tantivy sorts in descending order, so the page is taken from the end."""
        total = self.count(match)
        last = total - offset
        if last <= 0:
            return ResultPage(total, [], {})
        first = max(0, last - limit)
        page = self._most_relevant(match, first, last - first)
        return ResultPage(total, page.documents[::-1], page.scores)

    def _ordered(self, match: IndexQuery, order: SearchOrder, ring: int, offset: int, limit: int) -> ResultPage:
        direction = IndexOrder.Desc if order.descending else IndexOrder.Asc
        found = self._search(match, offset, limit, order.field(ring), direction)
        return ResultPage(found.count, [address.doc for _, address in found.hits], {})

    def _search(
        self,
        match: IndexQuery,
        offset: int,
        limit: int,
        field: str | None = None,
        direction: IndexOrder = IndexOrder.Desc,
    ) -> _Found:
        found = self._searcher.search(match, limit=limit, offset=offset, order_by_field=field, order=direction)
        return cast(_Found, found)
