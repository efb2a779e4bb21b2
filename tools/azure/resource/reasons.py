"""Finds the innermost reasons in Azure's errors, which are nested and often contain JSON as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_DEEPEST: Final = 12
_MOST: Final = 20
_LONGEST: Final = 1500
# The keys under which an error contains its causes.
_INNER: Final = ("error", "Error", "innererror", "innerError", "statusMessage", "details", "Details")


@dataclass(frozen=True, slots=True)
class Reason:
    code: str
    message: str
    target: str = ""


def reasons_in(document: Any) -> list[Reason]:
    """Return the innermost errors in a JSON document of any structure, without duplicates."""
    found = dict.fromkeys(_innermost(document, _DEEPEST))
    return list(found)[:_MOST]


def _innermost(value: Any, depth: int) -> Iterator[Reason]:
    if not depth:
        return
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, list):
        for one in value[:_MOST]:
            yield from _innermost(one, depth - 1)
    elif isinstance(value, Mapping):
        yield from _in_mapping(value, depth)


def _in_mapping(value: Mapping[str, Any], depth: int) -> Iterator[Reason]:
    message = value.get("message") or value.get("Message")
    inner = [*(value.get(name) for name in _INNER), message if _parsed(message) is not None else None]
    found = [reason for one in inner if one for reason in _innermost(one, depth - 1)]
    if found:
        yield from found
    elif own := _own(value, message):
        yield own


def _own(value: Mapping[str, Any], message: Any) -> Reason | None:
    code = value.get("code") or value.get("Code")
    if not code and not message:
        return None
    words = message if isinstance(message, str) else ""
    return Reason(str(code or ""), " ".join(words.split())[:_LONGEST], str(value.get("target") or ""))


def _parsed(text: Any) -> Any:
    """Parse the JSON in a text, starting at the first brace."""
    if not isinstance(text, str) or "{" not in text:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None
