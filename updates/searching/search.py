"""What can be asked of the updates, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from updates.record import INVENTED, Availability, url_of
from updates.searching.rows import UpdateRow

Detail = Literal["brief", "summary", "full"]


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What an update must have: all of it. Names are taken in any case, in known abbreviations and former forms."""

    tags: tuple[str, ...] = ()
    product_categories: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    status: str | None = None
    availability_ring: str | None = None
    date_from: str | None = None
    date_to: str | None = None
    date_field: str | None = None
    changed_since: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateSearch:
    """A query, filters, an order such as `modified:desc`, and which part of the answer to give how fully."""

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
    """One update as it is shown; the description is Markdown. Only a search with a query knows its relevance."""

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
    """One update as the index stores it, which is read only by those who need more than its JSON."""

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
    """One page of what was found. Facets count everything that was found: by kind, the values of the vocabulary."""

    rows: tuple[FoundRow, ...]
    total: int
    limit: int
    offset: int
    facets: Mapping[str, Mapping[str, int]] | None = None
    did_you_mean: str | None = None
    # If nothing was found: what to leave out, and how many would be found then.
    instead: Mapping[str, int] = field(default_factory=dict)
    # How many are listed beyond those that match, because they mean something similar.
    near: int = 0

    @property
    def results(self) -> tuple[FoundUpdate, ...]:
        return tuple(found.update for found in self.rows)

    @property
    def has_more(self) -> bool:
        return self.offset + len(self.rows) < self.total + self.near
