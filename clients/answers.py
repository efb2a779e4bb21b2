"""Answers of services as a model gets to see them: trimmed, and without what is empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

Extent = Literal["summary", "full"]
Json = dict[str, Any]
Shape = Callable[[Mapping[str, Any]], Json]

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_MOST_NAMES: Final = 20


def at(record: Any, path: str) -> Any:
    """What is at a path of names, or None where it ends early."""
    for name in path.split("."):
        record = record.get(name) if isinstance(record, Mapping) else None
    return record


def present(record: Mapping[str, Any]) -> Json:
    """A record without its empty parts."""
    return {name: value for name, value in record.items() if value not in _EMPTY}


def some_of(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
