"""Answers of services as a model gets to see them: trimmed, and without what is empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

Extent = Literal["summary", "full"]
Json = dict[str, Any]
Shape = Callable[[Mapping[str, Any]], Json]

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


def at(record: Any, path: str) -> Any:
    """What is at a path of names, or None where it ends early."""
    for name in path.split("."):
        record = record.get(name) if isinstance(record, Mapping) else None
    return record


def present(record: Mapping[str, Any]) -> Json:
    """A record without its empty parts."""
    return {name: value for name, value in record.items() if value not in _EMPTY}
