"""The orders in which updates can be asked for."""

from __future__ import annotations

from dataclasses import dataclass

from refusal import Refusal
from updates.searching.index_format import CREATED, MODIFIED, TITLE_RANK, earliest, latest

RELEVANCE, AVAILABILITY, TITLE = "relevance", "availability", "title"
_FIELDS = {MODIFIED: MODIFIED, CREATED: CREATED, TITLE: TITLE_RANK}
# Without a direction: what happens next first, titles as in a dictionary, and else the best or newest first.
_USUAL = {AVAILABILITY: "asc", TITLE: "asc"}
_ORDERS = (RELEVANCE, MODIFIED, CREATED, AVAILABILITY, TITLE)


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """What to order by. Equal ones stand as in the index: the newest first, then by id."""

    by: str
    descending: bool

    @property
    def is_usual_relevance(self) -> bool:
        return self.by == RELEVANCE and self.descending

    def field(self, ring: int) -> str:
        """The field of the index that has this order; a ring's own dates count, or those of any."""
        if self.by == AVAILABILITY:
            return latest(ring) if self.descending else earliest(ring)
        return _FIELDS[self.by]


def read_order(text: str | None, *, ranked: bool) -> SearchOrder:
    """Read `modified:desc` and the like. The default is relevance where there is a query, and else the newest first.

    Raises:
        Refusal: There is no such order.
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
    # Without a query all are equally relevant, and equal ones stand newest first.
    return SearchOrder(by, direction == "desc") if ranked or by != RELEVANCE else SearchOrder(MODIFIED, descending=True)
