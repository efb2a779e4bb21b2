"""Sort orders of updates."""

from __future__ import annotations

from dataclasses import dataclass

from refusal import Refusal
from updates.searching.index_format import CREATED, MODIFIED, TITLE_RANK, earliest, latest

RELEVANCE, AVAILABILITY, TITLE = "relevance", "availability", "title"
_FIELDS = {MODIFIED: MODIFIED, CREATED: CREATED, TITLE: TITLE_RANK}
# Default directions: upcoming dates first, titles alphabetically, otherwise the best or newest first.
_USUAL = {AVAILABILITY: "asc", TITLE: "asc"}
_ORDERS = (RELEVANCE, MODIFIED, CREATED, AVAILABILITY, TITLE)


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """The sort key and direction. Ties stay in index order: newest first, then by id."""

    by: str
    descending: bool

    @property
    def is_usual_relevance(self) -> bool:
        return self.by == RELEVANCE and self.descending

    def field(self, ring: int) -> str:
        """The index field for this order: dates of the given ring, or of any ring."""
        if self.by == AVAILABILITY:
            return latest(ring) if self.descending else earliest(ring)
        return _FIELDS[self.by]


def read_order(text: str | None, *, ranked: bool) -> SearchOrder:
    """Read an order such as `modified:desc`. The default is relevance if there is a query, otherwise newest first.

    Raises:
        Refusal: The order does not exist.
    """
    if text is None:
        return SearchOrder(RELEVANCE if ranked else MODIFIED, descending=True)
    by, _, direction = text.strip().lower().partition(":")
    direction = direction or _USUAL.get(by, "desc")
    if by not in _ORDERS or direction not in {"asc", "desc"}:
        raise Refusal(
            f"sortBy must be one of {', '.join(_ORDERS)}, with :asc or :desc after it if you like, for example "
            f"modified:desc; it is {text[:40]!r}."
        )
    # Without a query, all are equally relevant, and ties are sorted newest first.
    return SearchOrder(by, direction == "desc") if ranked or by != RELEVANCE else SearchOrder(MODIFIED, descending=True)
