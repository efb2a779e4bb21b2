"""Ranks a page of search results by keywords and meaning together."""

from __future__ import annotations

from tantivy import Query as IndexQuery

from updates.searching.index_format import ANY_RING
from updates.searching.meanings import Meanings
from updates.searching.ordering import RELEVANCE, SearchOrder
from updates.searching.paging import ResultPage, ResultPaging
from updates.searching.search import UpdateSearch

# The number of keyword matches to rerank. In a test with 477 queries for known updates, any number from 60 to 300 finds
# the same updates. In a test with paraphrased queries, numbers below 100 find fewer updates. Any weight from 0.75 to 2
# gives the same results, except for one or two of the known updates.
RANKED_ANEW = 150
_WEIGHT = 2.0
# Up to this rank, the results may include updates that match only the loose query.
_FIRST = 20
_BEST_FIRST = SearchOrder(RELEVANCE, descending=True)


class Nearness:
    """Ranks keyword matches again by meaning, and adds updates with a similar meaning to the first results."""

    def __init__(self, paging: ResultPaging, meanings: Meanings) -> None:
        self._paging = paging
        self._meanings = meanings

    def page(self, request: UpdateSearch, strict: IndexQuery, best: ResultPage, loose: IndexQuery | None) -> ResultPage:
        """Return a page that starts with the reranked results, followed by the other strict keyword matches.

        `best` contains the best strict matches. `loose` is the query for loose matches, if it differs from the strict
        query.
        """
        pool = best if loose is None else self._paging.page(loose, _BEST_FIRST, ANY_RING, 0, RANKED_ANEW)
        scores = self._scores(request.query, pool)
        matching = scores.keys() & set(best.documents)
        order = sorted(scores, key=lambda document: (-scores[document], document))
        first = [document for place, document in enumerate(order) if document in matching or place < _FIRST]
        documents = first[request.offset : request.offset + request.limit]
        near = len(first) - len(matching)
        if (missing := request.limit - len(documents)) and best.total > len(matching):
            documents += self._rest(strict, max(len(matching), request.offset - near), missing)
        least = min(scores.values(), default=0.0)
        return ResultPage(
            best.total, documents, {document: scores.get(document, least) for document in documents}, near
        )

    def _scores(self, query: str, pool: ResultPage) -> dict[int, float]:
        near = self._meanings.near(query, pool.scores)
        return {document: score + _WEIGHT * near[document] for document, score in pool.scores.items()}

    def _rest(self, strict: IndexQuery, offset: int, limit: int) -> list[int]:
        return self._paging.page(strict, _BEST_FIRST, ANY_RING, offset, limit).documents
