"""Suggests which condition to remove from a search that has no results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from updates.searching.query import UpdateQuery
from updates.searching.search import FILTERS, SearchFilters

_NONE = SearchFilters()
# For each filter, at most this many values are removed, one at a time.
_MOST_OF_A_KIND = 8

Easier = tuple[str, UpdateQuery, SearchFilters]


def easier(query: UpdateQuery, filters: SearchFilters) -> Iterator[Easier]:
    """Yield searches with one condition removed, each with a description of the removed condition."""
    yield from ((words, less, filters) for words, less in _easier_queries(query))
    yield from ((words, query, less) for words, less in _easier_filters(filters))


def easiest(query: UpdateQuery, filters: SearchFilters) -> Iterator[Easier]:
    """Yield searches with several conditions removed, for cases where removing one condition is not enough."""
    if query.ranks and filters != _NONE:
        yield "without any filter", query, _NONE
    if query.phrases and query.words:
        yield "without the quotes and the filters", _unquoted(query), _NONE


def _easier_queries(query: UpdateQuery) -> Iterator[tuple[str, UpdateQuery]]:
    if query.phrases:
        yield "without the quotes", _unquoted(query)
    if len(query.phrases) > 1:
        for phrase, quoted in list(zip(query.phrases, query.quoted, strict=True))[:_MOST_OF_A_KIND]:
            others = tuple(other for other in query.phrases if other != phrase)
            yield f'without "{quoted[:80]}"', replace(query, phrases=others)
    if query.excluded:
        yield "without the exclusions", replace(query, excluded=())
    if query.ranks:
        yield "without the query", replace(query, words=(), phrases=())


def _easier_filters(filters: SearchFilters) -> Iterator[tuple[str, SearchFilters]]:
    for called, name in FILTERS.items():
        # `date_field` is not a condition: it only selects the date to which other conditions apply.
        if (value := getattr(filters, name)) and name != "date_field":
            yield f"without {called}", replace(filters, **{name: getattr(_NONE, name)})
            if isinstance(value, tuple) and len(value) > 1:
                for one in value[:_MOST_OF_A_KIND]:
                    rest: dict[str, Any] = {name: tuple(other for other in value if other != one)}
                    yield f"without {called} {one[:80]!r}", replace(filters, **rest)


def _unquoted(query: UpdateQuery) -> UpdateQuery:
    unquoted = tuple(stem for phrase in query.phrases for stem in phrase)
    return replace(query, words=(*query.words, *unquoted), phrases=())
