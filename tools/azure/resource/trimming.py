"""Shortens JSON of any structure to what is useful to a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tools.azure.shared.compact import in_seconds

_DEEPEST: Final = 5
_LONGEST_LIST: Final = 20
_LONGEST_TEXT: Final = 300
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


def trimmed(document: Any) -> tuple[Any, int]:
    """Remove empty and deeply nested values from a document, and truncate long values.

    Also return how many values were too deeply nested or truncated.
    """
    trimming = _Trimming()
    return trimming.of(document, _DEEPEST), trimming.left_out


class _Trimming:
    def __init__(self) -> None:
        self.left_out = 0

    def of(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list):
            return self._list(value, depth)
        return self._text(value) if isinstance(value, str) else value

    def _mapping(self, value: Mapping[str, Any], depth: int) -> Any:
        if value and not depth:
            self.left_out += 1
            return None
        inner = {name: self.of(one, depth - 1) for name, one in value.items() if one not in _EMPTY}
        return {name: one for name, one in inner.items() if one not in _EMPTY}

    def _list(self, value: list[Any], depth: int) -> Any:
        if value and not depth:
            self.left_out += 1
            return None
        self.left_out += len(value) > _LONGEST_LIST
        return [one for one in (self.of(one, depth - 1) for one in value[:_LONGEST_LIST]) if one not in _EMPTY]

    def _text(self, value: str) -> str:
        if len(value) <= _LONGEST_TEXT:
            return str(in_seconds(value))
        self.left_out += 1
        return f"{value[:_LONGEST_TEXT]}…"
