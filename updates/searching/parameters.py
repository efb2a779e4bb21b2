"""Parses a search from URL parameters. The parameters have the same names as the tool's parameters. Lists are separated
by commas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from refusal import Refusal
from updates.searching.search import SearchFilters, UpdateSearch

LISTS: Final[Mapping[str, str]] = {
    "tags": "tags",
    "productCategories": "product_categories",
    "products": "products",
}
SINGLE: Final[Mapping[str, str]] = {
    "status": "status",
    "availabilityRing": "availability_ring",
    "dateFrom": "date_from",
    "dateTo": "date_to",
    "dateField": "date_field",
    "changedSince": "changed_since",
}
_OTHER: Final = ("query", "sortBy", "limit")
_MOST: Final = 10_000
_MOST_NAMES: Final = 50
_LIMIT: Final = re.compile(r"[0-9]{1,5}")


def request_of(parameters: Mapping[str, str]) -> UpdateSearch:
    """Parse URL parameters. Raise a Refusal if a name or a value is invalid."""
    valid = [*_OTHER, *LISTS, *SINGLE]
    for name in parameters:
        if name not in valid:
            raise Refusal(f"Unknown parameter {name[:40]!r}. Valid: {', '.join(valid)}.")
    chosen: dict[str, Any] = {name: parameters[known] for known, name in SINGLE.items() if known in parameters}
    chosen |= {name: _names(known, parameters[known]) for known, name in LISTS.items() if known in parameters}
    limit = _limit(parameters.get("limit", str(_MOST)))
    return UpdateSearch(parameters.get("query", ""), SearchFilters(**chosen), parameters.get("sortBy"), limit)


def names_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for entry in text.split(",") if (name := entry.strip())))


def _names(parameter: str, text: str) -> tuple[str, ...]:
    names = names_in(text)
    if len(names) > _MOST_NAMES:
        raise Refusal(f"{parameter} has {len(names)} values; the maximum is {_MOST_NAMES}.")
    return names


def _limit(text: str) -> int:
    if not _LIMIT.fullmatch(text) or not 1 <= int(text) <= _MOST:
        raise Refusal(f"limit must be a whole number from 1 to {_MOST}.")
    return int(text)
