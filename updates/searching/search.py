"""Search requests and results of Azure updates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Final, Literal

from updates.record import INVENTED, Availability, url_of
from updates.searching.rows import UpdateRow

Detail = Literal["brief", "summary", "full"]


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """The filters of a search. An update must match all of them. Names match regardless of case. Abbreviations and
    former names also match.
    """

    tags: tuple[str, ...] = ()
    product_categories: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    status: str | None = None
    availability_ring: str | None = None
    date_from: str | None = None
    date_to: str | None = None
    date_field: str | None = None
    changed_since: str | None = None


def _published(field_name: str) -> str:
    first, *others = field_name.split("_")
    return first + "".join(map(str.capitalize, others))


# The names of the filters, as tools and URLs use them, and the names of their fields.
FILTERS: Final[Mapping[str, str]] = {_published(one.name): one.name for one in fields(SearchFilters)}


@dataclass(frozen=True, slots=True)
class UpdateSearch:
    """A search request: query, filters, sort order such as `modified:desc`, page, and level of detail."""

    query: str = ""
    filters: SearchFilters = field(default_factory=SearchFilters)
    sort_by: str | None = None
    limit: int = 50
    offset: int = 0
    detail: Detail = "summary"
    facets: bool = False
    semantic: bool = False


@dataclass(frozen=True, slots=True)
class FoundUpdate:
    """An update in search results. The description is Markdown; `relevance` is set only for searches with a query."""

    id: str
    title: str
    description: str
    status: str | None
    tags: tuple[str, ...]
    product_categories: tuple[str, ...]
    products: tuple[str, ...]
    availabilities: tuple[Availability, ...]
    created: str
    modified: str
    relevance: float | None = None
    withdrawn: str | None = None
    history: Sequence[Mapping[str, Any]] = field(default=(), hash=False)
    is_invented: bool = False

    @property
    def url(self) -> str:
        return url_of(self.id, is_invented=self.is_invented)


@dataclass(frozen=True)
class FoundRow:
    """An update as the index stores it. The update is decoded only for callers that need more than the stored JSON."""

    row: UpdateRow
    description: str
    relevance: float | None = None

    @cached_property
    def update(self) -> FoundUpdate:
        shown = self.row.document
        availabilities, (created, modified, withdrawn), history = shown["rest"]
        return FoundUpdate(
            id=shown["id"],
            title=shown["title"],
            description=self.description,
            status=shown.get("status"),
            tags=tuple(shown.get("tags", ())),
            product_categories=tuple(shown.get("productCategories", ())),
            products=tuple(shown.get("products", ())),
            availabilities=tuple(Availability(*availability) for availability in availabilities),
            created=created,
            modified=modified,
            relevance=self.relevance,
            withdrawn=withdrawn,
            history=tuple(history),
            is_invented=shown["id"].startswith(INVENTED),
        )


@dataclass(frozen=True)
class SearchResults:
    """A page of search results. For each kind of value, `facets` says how often each value occurs in all matching
    updates.
    """

    rows: tuple[FoundRow, ...]
    total: int
    limit: int
    offset: int
    facets: Mapping[str, Mapping[str, int]] | None = None
    did_you_mean: str | None = None
    # If the search has no results, this field maps each condition that prevents results to the number of results
    # without this condition.
    instead: Mapping[str, int] = field(default_factory=dict)
    # The number of additional results with a similar meaning.
    near: int = 0

    @property
    def results(self) -> tuple[FoundUpdate, ...]:
        return tuple(found.update for found in self.rows)

    @property
    def has_more(self) -> bool:
        return self.offset + len(self.rows) < self.total + self.near
