"""Opens and searches an index of documents."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, cast

from tantivy import Occur, SnippetGenerator
from tantivy import Query as IndexQuery

from documents.patterns import begins, is_plain, matches
from documents.searching.index_format import BODY, DOCUMENT, DOCUMENTS, HEAD, PASSAGES, ROW, SOURCES
from documents.searching.query import DocumentQuery, read_query
from documents.searching.snippets import Snippet, snippet_of
from kept_index.archive import opened
from kept_index.search_folder import open_folder

_WEIGHTS: Final = ((HEAD, 1.6), (BODY, 1.0))
# If a word matches in both fields, the higher score counts in full, and the lower score is multiplied by this weight.
_OTHER_FIELD: Final = 0.3
_LONGEST_SNIPPET: Final = 240
_DIGITS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSearch:
    """A search in the given sources. `path` is a folder, a file or a pattern; an empty path searches all documents."""

    query: str
    sources: Collection[str]
    path: str = ""
    limit: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A passage in search results. `line` is the line number of the first match, or of the heading if the text has no
    match.
    """

    source: str
    path: str
    title: str
    heading: str
    line: int
    snippet: str
    score: float
    modified: str | None
    link: str


@dataclass(frozen=True, slots=True)
class Results:
    """The best matching passages, and the number of matches in total and by source."""

    found: Sequence[FoundPassage]
    total: int
    by_source: Mapping[str, int]


class _Hit(NamedTuple):
    """A match in one source. Matches from all sources are sorted by these fields: first by score (best first), then by
    source and path.
    """

    worse: float
    source: str
    path: str
    line: int
    heading: str
    start: int
    document: int
    address: Any


class _Source:
    """The index of one source, which is searched separately from other sources."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.schema, self.searcher = open_folder(folder / PASSAGES)
        self.documents: list[Any] = json.loads((folder / DOCUMENTS).read_bytes())

    def count(self, match: IndexQuery) -> int:
        # The type hints of tantivy omit `count`.
        return int(cast(Any, self.searcher.search(match, limit=1)).count)

    def best(self, match: IndexQuery, limit: int) -> Iterator[_Hit]:
        for score, address in self.searcher.search(match, limit=limit, count=False).hits:
            number, heading, start, line = json.loads(bytes(self.searcher.doc(address)[ROW][0]))
            yield _Hit(
                -round(score, _DIGITS), self.name, self.documents[number][0], line, heading, start, number, address
            )

    def within(self, path: str) -> IndexQuery | None:
        """Return a query that selects the documents in a folder or with a matching path. Return None if no document
        qualifies.
        """
        fits = begins if is_plain(path) else matches
        numbers = [number for number, metadata in enumerate(self.documents) if fits(path, metadata[0])]
        return IndexQuery.term_set_query(self.schema, DOCUMENT, numbers) if numbers else None

    def match(self, query: DocumentQuery, needed: int, path: str) -> IndexQuery | None:
        clauses = [(Occur.Must, self._phrase(phrase)) for phrase in query.phrases]
        if query.words:
            words = [(Occur.Should, self._anywhere(word)) for word in query.words]
            clauses.append((Occur.Must, IndexQuery.boolean_query(words, needed)))
        if path:
            within = self.within(path)
            if within is None:
                return None
            clauses.append((Occur.Must, IndexQuery.const_score_query(within, 0.0)))
        return IndexQuery.boolean_query(clauses)

    def found(self, hit: _Hit, query: DocumentQuery) -> FoundPassage:
        path, title, modified, link = self.documents[hit.document]
        snippet = self._snippet(hit, query)
        return FoundPassage(
            source=self.name,
            path=path,
            title=title,
            heading=hit.heading,
            line=hit.start if snippet.line is None else hit.line + snippet.line,
            snippet=snippet.text,
            score=-hit.worse,
            modified=modified,
            link=link,
        )

    def _snippet(self, hit: _Hit, query: DocumentQuery) -> Snippet:
        words = dict.fromkeys([*query.words, *(word for phrase in query.phrases for word in phrase)])
        wanted = IndexQuery.boolean_query([(Occur.Should, self._term(BODY, word)) for word in words])
        generator = SnippetGenerator.create(self.searcher, wanted, self.schema, BODY)
        generator.set_max_num_chars(_LONGEST_SNIPPET)
        document = self.searcher.doc(hit.address)
        return snippet_of(document[BODY][0], generator.snippet_from_doc(document))

    def _anywhere(self, word: str) -> IndexQuery:
        fields = [IndexQuery.boost_query(self._term(field, word), weight) for field, weight in _WEIGHTS]
        return IndexQuery.disjunction_max_query(fields, _OTHER_FIELD)

    def _phrase(self, phrase: tuple[str, ...]) -> IndexQuery:
        if len(phrase) == 1:  # tantivy panics on a phrase of one word
            return self._anywhere(phrase[0])
        fields = [
            IndexQuery.boost_query(IndexQuery.phrase_query(self.schema, field, list(phrase)), weight)
            for field, weight in _WEIGHTS
        ]
        return IndexQuery.disjunction_max_query(fields, _OTHER_FIELD)

    def _term(self, field: str, word: str) -> IndexQuery:
        return IndexQuery.term_query(self.schema, field, word)


class DocumentsIndex:
    """An immutable index of all documents. Several threads can search the index concurrently.

    Each source has its own term weights, so the results of a source do not depend on other sources.
    """

    def __init__(self, folder: Path) -> None:
        names = json.loads((folder / SOURCES).read_bytes())
        self._sources = {name: _Source(name, folder / str(number)) for number, name in enumerate(names)}

    @classmethod
    def open(cls, content: bytes) -> Self:
        return opened(content, cls, "documents-index-")

    def search(self, request: DocumentSearch) -> Results:
        """Search passages, best match first.

        Raises:
            Refusal: The query has no search terms.
        """
        query = read_query(request.query)
        among = [source for name, source in sorted(self._sources.items()) if name in request.sources]
        for needed in query.needed:
            results = _results(among, query, needed, request)
            if results.total:
                break
        return results


def _results(among: Sequence[_Source], query: DocumentQuery, needed: int, request: DocumentSearch) -> Results:
    matching = {source: match for source in among if (match := source.match(query, needed, request.path))}
    counts = {source.name: source.count(match) for source, match in matching.items()}
    best = (hit for source, match in matching.items() for hit in source.best(match, request.limit))
    hits = sorted(best, key=lambda hit: hit[: _Hit._fields.index("document")])
    of = {source.name: source for source in among}
    found = [of[hit.source].found(hit, query) for hit in hits[: request.limit]]
    by_source = {name: count for name, count in counts.items() if count}
    return Results(found, sum(counts.values()), by_source)
