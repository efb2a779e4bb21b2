"""Opens and searches an index of Azure operations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import ceil
from pathlib import Path
from typing import Any, Final, Self

from tantivy import Occur
from tantivy import Query as IndexQuery

from azure_operations.index_builder import OPERATIONS
from azure_operations.index_format import ABOUT, DOES, KIND, NAME, NAMESPACE, OWN, ROW
from azure_operations.ranking import rank
from azure_operations.record import Kind, Operation
from kept_index.archive import opened
from kept_index.search_folder import open_folder
from kept_index.tokenizing import clean, may_help, stems

_WEIGHTS: Final = ((OWN, 3.0), (ABOUT, 1.5), (DOES, 1.0))
# The number of search results to rank in detail, and the maximum number of words in a query.
_CANDIDATES: Final = 100
_MOST_WORDS: Final = 12


class OperationsIndex:
    """An immutable index of all Azure operations. Several threads can search the index at the same time."""

    def __init__(self, folder: Path) -> None:
        self._schema, self._searcher = open_folder(folder / OPERATIONS)

    @classmethod
    def open(cls, content: bytes) -> Self:
        return opened(content, cls, "operations-index-")

    def __len__(self) -> int:
        return self._searcher.num_docs

    def find(self, query: str, limit: int, *, namespace: str = "", kind: Kind | None = None) -> list[Operation]:
        """Find operations, best match first. The result is empty if the query contains no meaningful word."""
        question = list(filter(may_help, stems(query)))[:_MOST_WORDS]
        asked = list(dict.fromkeys(question))
        must = [*self._exactly(NAMESPACE, namespace.lower()), *self._exactly(KIND, kind or "")]
        for needed in _needed(len(asked)):
            words = IndexQuery.boolean_query([(Occur.Should, self._anywhere(stem)) for stem in asked], needed)
            found = self._searcher.search(IndexQuery.boolean_query([*must, (Occur.Must, words)]), limit=_CANDIDATES)
            if found.hits:
                scored = [(score, self._operation(address)) for score, address in found.hits]
                return rank(scored, question)[:limit]
        return []

    def named(self, name: str) -> Operation | None:
        """Return the operation with this name, ignoring case."""
        query = IndexQuery.term_query(self._schema, NAME, clean(name).lower())
        hits = self._searcher.search(query, limit=1, count=False).hits
        return self._operation(hits[0][1]) if hits else None

    def reads(self, resource_type: str) -> bool:
        """Check whether Azure Resource Manager has a read operation for this resource type."""
        found = self.named(f"{resource_type}/read")
        return found is not None and not found.is_data

    def types_of(self, namespace: str) -> Iterable[str]:
        """Return all resource types of a provider that have a read operation."""
        beginning = f"{clean(namespace).lower()}/"
        terms = self._searcher.terms_with_prefix(NAME, beginning)
        return [name.removesuffix("/read") for name, _ in terms if name.endswith("/read")]

    def _exactly(self, field: str, value: str) -> Iterator[tuple[Occur, IndexQuery]]:
        if value:
            yield Occur.Must, IndexQuery.const_score_query(IndexQuery.term_query(self._schema, field, value), 0.0)

    def _anywhere(self, stem: str) -> IndexQuery:
        return IndexQuery.disjunction_max_query(
            [
                IndexQuery.boost_query(IndexQuery.term_query(self._schema, field, stem), weight)
                for field, weight in _WEIGHTS
            ],
            0.1,
        )

    def _operation(self, address: Any) -> Operation:
        return Operation(*json.loads(bytes(self._searcher.doc(address)[ROW][0])))


def _needed(words: int) -> list[int]:
    """Return how many query words must match in each search: half of them in the first search, one in the second."""
    return list(dict.fromkeys(filter(None, (ceil(words / 2), min(words, 1)))))
