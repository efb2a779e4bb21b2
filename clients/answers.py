"""Shortens service responses for a model, for example by removing empty values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

Extent = Literal["summary", "full"]
Json = dict[str, Any]
Shape = Callable[[Mapping[str, Any]], Json]

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_MOST_NAMES: Final = 20


def at(record: Any, path: str) -> Any:
    """The value at a path of nested names; None if the path does not exist."""
    for name in path.split("."):
        record = record.get(name) if isinstance(record, Mapping) else None
    return record


def present(record: Mapping[str, Any]) -> Json:
    """A copy of the record without empty values."""
    return {name: value for name, value in record.items() if value not in _EMPTY}


def some_of(names: Sequence[str]) -> str:
    """The first few names, and the number of names that are left out."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
