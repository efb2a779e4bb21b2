"""Sort orders of updates."""

from __future__ import annotations

from dataclasses import dataclass

from refusal import Refusal
from updates.searching.index_format import CREATED, MODIFIED, TITLE_RANK, earliest, latest

RELEVANCE, AVAILABILITY, TITLE = "relevance", "availability", "title"
_FIELDS = {MODIFIED: MODIFIED, CREATED: CREATED, TITLE: TITLE_RANK}
# The sort orders that are ascending by default: earliest availability first, and titles from A to Z. All other orders
# start with the best or the newest result.
_USUAL = {AVAILABILITY: "asc", TITLE: "asc"}
_ORDERS = (RELEVANCE, MODIFIED, CREATED, AVAILABILITY, TITLE)


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """A sort key and direction. Equal updates stay in index order: newest first, then by id."""

    by: str
    descending: bool

    @property
    def is_usual_relevance(self) -> bool:
        return self.by == RELEVANCE and self.descending

    def field(self, ring: int) -> str:
        """Return the index field for this order. For availability, the field depends on the ring."""
        if self.by == AVAILABILITY:
            return latest(ring) if self.descending else earliest(ring)
        return _FIELDS[self.by]


def read_order(text: str | None, *, ranked: bool) -> SearchOrder:
    """Parse an order such as `modified:desc`. The default is relevance if `ranked` is true, else newest first."""
    if text is None:
        return SearchOrder(RELEVANCE if ranked else MODIFIED, descending=True)
    by, _, direction = text.strip().lower().partition(":")
    direction = direction or _USUAL.get(by, "desc")
    if by not in _ORDERS or direction not in {"asc", "desc"}:
        raise Refusal(
            f"The order {text[:40]!r} is invalid. Valid: {', '.join(_ORDERS)}, optionally with :asc or :desc, for"
            " example modified:desc."
        )
    # Without a query, all updates are equally relevant, so they are sorted newest first.
    return SearchOrder(by, direction == "desc") if ranked or by != RELEVANCE else SearchOrder(MODIFIED, descending=True)
