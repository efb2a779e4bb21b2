"""One page of what matches, in a given order, and what can be said about all of it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, cast

from tantivy import DocAddress, Occur, Schema, Searcher
from tantivy import Order as IndexOrder
from tantivy import Query as IndexQuery

from updates.searching.index_format import ID, LABEL
from updates.searching.matching import unscored
from updates.searching.ordering import RELEVANCE, SearchOrder


class _Found(Protocol):
    """What a search answers; the type declarations of the package forget the count."""

    count: int
    hits: list[tuple[Any, DocAddress]]


class ResultPage(NamedTuple):
    """How many match, and the documents of one page with their scores if these decided the order."""

    total: int
    documents: list[int]
    scores: dict[int, float]
    near: int = 0


class ResultPaging:
    """Reads pages from one index. Where an order finds documents equal, they stand as they stand in the index."""

    def __init__(self, schema: Schema, searcher: Searcher) -> None:
        self._schema = schema
        self._searcher = searcher

    def page(self, match: IndexQuery, order: SearchOrder, ring: int, offset: int, limit: int) -> ResultPage:
        if offset >= self._searcher.num_docs:  # the index makes room for as many hits as are skipped
            return ResultPage(self.count(match), [], {})
        if order.by != RELEVANCE:
            return self._ordered(match, order, ring, offset, limit)
        return self._most_relevant(match, offset, limit) if order.descending else self._least(match, offset, limit)

    def count(self, match: IndexQuery) -> int:
        return self._search(match, 0, 1).count

    def scores(self, match: IndexQuery, ids: list[str]) -> dict[int, float]:
        """The relevance of these updates, all of which match."""
        these = unscored(IndexQuery.term_set_query(self._schema, ID, ids))
        # The index panics at a limit of none.
        found = self._search(IndexQuery.boolean_query([these, (Occur.Must, match)]), 0, max(1, len(ids)))
        return {address.doc: score for score, address in found.hits}

    def labels(self, match: IndexQuery, size: int) -> dict[int, int]:
        """How many of all that match have each label."""
        found = self._searcher.aggregate(match, {LABEL: {"terms": {"field": LABEL, "size": size}}})
        return {bucket["key"]: bucket["doc_count"] for bucket in found[LABEL]["buckets"]}

    def _most_relevant(self, match: IndexQuery, offset: int, limit: int) -> ResultPage:
        found = self._search(match, offset, limit)
        scores = {address.doc: score for score, address in found.hits}
        return ResultPage(found.count, list(scores), scores)

    def _least(self, match: IndexQuery, offset: int, limit: int) -> ResultPage:
        """The index gives the best first, so the worst are its last."""
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
