"""Search facets of updates. Each filter value shows its number of results, and has a link that toggles the filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from exploring.address import PageAddress
from updates.searching.parameters import LISTS
from updates.searching.search import SearchFilters, UpdateSearch
from updates.searching.vocabulary import RING, STATUS

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

HEADINGS: Final[Mapping[str, str]] = {
    "availabilityRing": "Milestone",
    "status": "Status",
    "productCategories": "Category",
    "products": "Product",
    "tags": "Tag",
}
# Filters that have a single value. Choosing another value replaces the current value.
_SINGLE: Final = (RING, STATUS)
_FEW: Final = 7
_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class FacetChoice:
    name: str
    count: int
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A group of filter values. `few` contains the most frequent values. `more` contains the other values, which the
    page hides at first.
    """

    heading: str
    few: Sequence[FacetChoice]
    more: Sequence[FacetChoice]


def facets_of(
    index: UpdatesIndex, request: UpdateSearch, address: PageAddress, counts: Mapping[str, Mapping[str, int]]
) -> Iterator[Facet]:
    """Yield the facets of a search, given the facet counts of its results."""
    for kind, heading in HEADINGS.items():
        counted = _alternatives(index, request, kind) if address[kind] and kind in _SINGLE else counts[kind]
        choices = list(_choices(kind, counted, address))
        if choices:
            yield Facet(heading, choices[:_FEW], choices[_FEW:])


def _alternatives(index: UpdatesIndex, request: UpdateSearch, kind: str) -> Mapping[str, int]:
    """For a filter with a single value, count the results that the search would have with each of the values."""
    others = _without(request.filters, kind)
    found = index.search(replace(request, filters=others, limit=1, offset=0, facets=True, semantic=False))
    return (found.facets or {})[kind]


def _without(filters: SearchFilters, kind: str) -> SearchFilters:
    return replace(filters, status=None) if kind == STATUS else replace(filters, availability_ring=None)


def _choices(kind: str, counts: Mapping[str, int], address: PageAddress) -> Iterator[FacetChoice]:
    given = {name.casefold() for name in (address.names(kind) if kind in LISTS else [address[kind]])}
    chosen = [name for name in counts if name.casefold() in given]
    for name in islice([*chosen, *(name for name in counts if name not in chosen)], _MOST):
        yield FacetChoice(name, counts[name], _toggled(kind, name, address, is_chosen=name in chosen), name in chosen)


def _toggled(kind: str, name: str, address: PageAddress, *, is_chosen: bool) -> str:
    address = address.without("page")
    if kind in LISTS:
        return (address.removing(kind, name) if is_chosen else address.adding(kind, name)).url
    return address.having(kind, "" if is_chosen else name).url
