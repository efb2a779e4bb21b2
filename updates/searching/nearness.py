"""A page of what matches best by its words and by what they mean."""

from __future__ import annotations

from tantivy import Query as IndexQuery

from updates.searching.index_format import ANY_RING
from updates.searching.meanings import Meanings
from updates.searching.ordering import RELEVANCE, SearchOrder
from updates.searching.paging import ResultPage, ResultPaging
from updates.searching.search import UpdateSearch

# The best of so many by their words are ranked anew. From 0.75 to 2, the weight moves one or two of 477 known items.
_POOL = 300
_WEIGHT = 2.0
# What matches loosely is listed only among the first.
_FIRST = 20
_BEST_FIRST = SearchOrder(RELEVANCE, descending=True)


class Nearness:
    """Ranks what an index finds by words anew, and lists what means something similar among the first."""

    def __init__(self, paging: ResultPaging, meanings: Meanings) -> None:
        self._paging = paging
        self._meanings = meanings

    def page(self, request: UpdateSearch, strict: IndexQuery, loose: IndexQuery, total: int) -> ResultPage:
        """A page of the first ones by both, and after them of what else matches strictly by words alone."""
        scores = self._scores(request.query, loose)
        matching = scores.keys() & set(self._best(strict))
        order = sorted(scores, key=lambda document: (-scores[document], document))
        first = [document for place, document in enumerate(order) if document in matching or place < _FIRST]
        documents = first[request.offset : request.offset + request.limit]
        near = len(first) - len(matching)
        rest = self._paging.page(
            strict, _BEST_FIRST, ANY_RING, max(len(matching), request.offset - near), request.limit
        ).documents
        documents += rest[: request.limit - len(documents)]
        least = min(scores.values(), default=0.0)
        return ResultPage(total, documents, {document: scores.get(document, least) for document in documents}, near)

    def _scores(self, query: str, loose: IndexQuery) -> dict[int, float]:
        found = self._paging.page(loose, _BEST_FIRST, ANY_RING, 0, _POOL).scores
        near = self._meanings.near(query, found)
        return {document: score + _WEIGHT * near[document] for document, score in found.items()}

    def _best(self, match: IndexQuery) -> list[int]:
        return self._paging.page(match, _BEST_FIRST, ANY_RING, 0, _POOL).documents
