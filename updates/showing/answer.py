"""Writes the JSON answer to a search. The index stores rows as JSON, so this module only joins rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring as quoted
from typing import Any, Final

from text.shortening import shortened
from updates.searching.dates import period, ticks
from updates.searching.rows import compact_json
from updates.searching.search import Detail, FoundRow, SearchFilters, SearchResults, UpdateSearch
from updates.showing.invented import NOTICE

# The maximum size of a list result, in bytes of JSON. At 4 bytes per token, 50 results take fewer than 6,000 tokens.
_RESULT: Final = 455
_SHORTEST_DESCRIPTION, _LONGEST_DESCRIPTION = 60, 180


def answer_of(found: SearchResults, request: UpdateSearch, *, is_sample: bool = False) -> str:
    """Return a page of results as JSON, with hints to improve the search."""
    notice = f'"notice":{quoted(NOTICE)},' if is_sample else ""
    results = ",".join(_results(found.rows, request))
    return f'{{{notice}"results":[{results}],{compact_json(_about(found, request.filters))[1:]}'


def _about(found: SearchResults, filters: SearchFilters) -> dict[str, Any]:
    """Return metadata about all matches: their number, facets and hints."""
    about: dict[str, Any] = {
        "total": found.total,
        "limit": found.limit,
        "offset": found.offset,
        "hasMore": found.has_more,
    }
    if found.near:
        about["alsoClose"] = found.near
    if found.facets is not None:
        about["facets"] = found.facets
    if found.did_you_mean is not None:
        about["didYouMean"] = found.did_you_mean
    if found.instead:
        about["instead"] = found.instead
    if not found.total and (several := _of_several(filters)):
        about["hint"] = (
            f"An update matches only if it has all {several} in the filter. Search for each value separately."
        )
    return about


def _results(rows: Sequence[FoundRow], request: UpdateSearch) -> Sequence[str]:
    """Return the results, each with enough detail to choose between them."""
    shown = _SHOWN[request.detail]
    since = request.filters.changed_since
    results = [f"{{{shown(found)}{_changes(found, since) if since else ''}}}" for found in rows]
    return _with_summaries(results, rows) if request.detail == "summary" else results


def _with_summaries(results: Sequence[str], rows: Sequence[FoundRow]) -> Sequence[str]:
    """Add descriptions to the results.

    All descriptions are shortened to the same length, so that the list stays within its maximum size.
    """
    size = len(f"[{','.join(results)}]".encode())
    room = _RESULT - size // max(1, len(results))
    length = min(max(room, _SHORTEST_DESCRIPTION), _LONGEST_DESCRIPTION)
    return [
        f'{result[:-1]},"description":{quoted(shortened(found.description, length))}}}' if found.description else result
        for result, found in zip(results, rows, strict=True)
    ]


def _briefly(found: FoundRow) -> str:
    return f"{found.row.id_and_title}{found.row.brief}"


def _in_summary(found: FoundRow) -> str:
    row = found.row
    return f"{row.id_and_title}{row.labels}{row.days}{_relevance(found)}{row.withdrawn}"


def _in_full(found: FoundRow) -> str:
    row = found.row
    description = f',"description":{quoted(found.description)}' if found.description else ""
    url = f',"url":{quoted(found.update.url)}'
    return f"{row.id_and_title}{description}{row.labels}{row.days}{_relevance(found)}{row.withdrawn}{url}"


_SHOWN: Final[Mapping[Detail, Callable[[FoundRow], str]]] = {
    "brief": _briefly,
    "summary": _in_summary,
    "full": _in_full,
}


def _relevance(found: FoundRow) -> str:
    return "" if found.relevance is None else f',"relevance":{found.relevance!r}'


def _changes(found: FoundRow, since: str) -> str:
    """Return the changes in an update's history that the server recorded on or after a date."""
    return f',"changes":{compact_json(list(_since(found.update.history, period(since, "changedSince").first)))}'


def _since(history: Sequence[Mapping[str, Any]], first: int) -> Iterator[Mapping[str, Any]]:
    return (change for change in history if ticks(change["seen"]) >= first)


def _of_several(filters: SearchFilters) -> str:
    """Return the names of the filters with several values. Few updates have all of these values."""
    lists = {
        "tags": filters.tags,
        "productCategories": filters.product_categories,
        "products": filters.products,
    }
    return " and ".join(name for name, values in lists.items() if len(values) > 1)
