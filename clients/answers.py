"""Trims service responses for a model and removes empty values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

Extent = Literal["summary", "full"]
Json = dict[str, Any]
Shape = Callable[[Mapping[str, Any]], Json]

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_MOST_NAMES: Final = 20


def at(record: Any, path: str) -> Any:
    """The value at a path of names, or None if the path does not exist."""
    for name in path.split("."):
        record = record.get(name) if isinstance(record, Mapping) else None
    return record


def present(record: Mapping[str, Any]) -> Json:
    """A record without empty values."""
    return {name: value for name, value in record.items() if value not in _EMPTY}


def some_of(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
