"""What could be left out of a search that finds nothing."""

from __future__ import annotations

from dataclasses import fields, replace

from updates.searching.query import UpdateQuery
from updates.searching.search import SearchFilters

_CALLED = {
    "product_categories": "productCategories",
    "availability_ring": "availabilityRing",
    "date_from": "dateFrom",
    "date_to": "dateTo",
    "changed_since": "changedSince",
}
_NONE = SearchFilters()


def easier(query: UpdateQuery, filters: SearchFilters) -> dict[str, tuple[UpdateQuery, SearchFilters]]:
    """Searches that ask for one thing less, by what they leave out."""
    found: dict[str, tuple[UpdateQuery, SearchFilters]] = {}
    if query.phrases:
        unquoted = tuple(stem for phrase in query.phrases for stem in phrase)
        found["without the quotes"] = replace(query, words=(*query.words, *unquoted), phrases=()), filters
    if query.excluded:
        found["without the exclusions"] = replace(query, excluded=()), filters
    if query.ranks:
        found["without the query"] = replace(query, words=(), phrases=()), filters
    for name in (field.name for field in fields(SearchFilters) if getattr(filters, field.name)):
        # Which date is meant is no condition of its own.
        if name != "date_field":
            without = replace(filters, **{name: getattr(_NONE, name)})
            found[f"without {_CALLED.get(name, name)}"] = query, without
    return found
