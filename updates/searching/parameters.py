"""Reads and writes searches as URL parameters. The parameters have the same names as the tool's parameters. Lists are
separated by commas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from refusal import Refusal
from updates.searching.search import FILTERS, SearchFilters, UpdateSearch

_NO_FILTERS: Final = SearchFilters()
LISTS: Final = {name: field for name, field in FILTERS.items() if isinstance(getattr(_NO_FILTERS, field), tuple)}
SINGLE: Final = {name: field for name, field in FILTERS.items() if name not in LISTS}
QUERY: Final = "query"
SORT_BY: Final = "sortBy"
LIMIT: Final = "limit"
NAMES: Final = (QUERY, SORT_BY, LIMIT, *LISTS, *SINGLE)
_MOST: Final = 10_000
_MOST_NAMES: Final = 50
_LIMIT: Final = re.compile(r"[0-9]{1,5}")


def request_of(parameters: Mapping[str, str]) -> UpdateSearch:
    """Parse URL parameters. Raise a Refusal if a name or a value is invalid."""
    for name in parameters:
        if name not in NAMES:
            raise Refusal(f"Unknown parameter {name[:40]!r}. Valid: {', '.join(NAMES)}.")
    chosen: dict[str, Any] = {name: parameters[known] for known, name in SINGLE.items() if known in parameters}
    chosen |= {name: _names(known, parameters[known]) for known, name in LISTS.items() if known in parameters}
    limit = _limit(parameters.get(LIMIT, str(_MOST)))
    return UpdateSearch(parameters.get(QUERY, ""), SearchFilters(**chosen), parameters.get(SORT_BY), limit)


def parameters_for(search: UpdateSearch) -> dict[str, str]:
    """Write the query, filters and order of a search as URL parameters."""
    filters = search.filters
    written = {
        QUERY: search.query,
        **{known: ",".join(getattr(filters, name)) for known, name in LISTS.items()},
        **{known: getattr(filters, name) for known, name in SINGLE.items()},
        SORT_BY: search.sort_by,
    }
    return {name: value for name, value in written.items() if value}


def names_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for entry in text.split(",") if (name := entry.strip())))


def _names(parameter: str, text: str) -> tuple[str, ...]:
    names = names_in(text)
    if len(names) > _MOST_NAMES:
        raise Refusal(f"{parameter} has {len(names)} values; the maximum is {_MOST_NAMES}.")
    return names


def _limit(text: str) -> int:
    if not _LIMIT.fullmatch(text) or not 1 <= int(text) <= _MOST:
        raise Refusal(f"{LIMIT} must be a whole number from 1 to {_MOST}.")
    return int(text)
