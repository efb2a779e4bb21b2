"""Lists the available fields if a caller selects a field that does not exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from mcp_server.select.evaluation import Missed
from mcp_server.select.expression import FUNCTIONS
from mcp_server.wording import listing

_LONGEST: Final = 800
_LONGEST_NAME: Final = 60
_ENTRIES_READ: Final = 20
_TOLD: Final = 3
_PLAIN: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_KINDS: Final = {str: "string", bool: "boolean", int: "number", float: "number"}


def missing(missed: Iterable[Missed]) -> str:
    """Sentences that say which selected fields do not exist, and which fields do. Empty if all fields exist."""
    return _cut(" ".join(map(_missing, islice(missed, _TOLD))))


def overview(document: Mapping[str, Any]) -> str:
    """A sentence that lists the fields of an answer. For fields that contain lists, the sentence also lists the fields
    of the entries.
    """
    return _cut(f"The answer has {listing(_opened(name, value) for name, value in document.items()) or 'no fields'}.")


def _missing(missed: Missed) -> str:
    told = f"Field {_written(missed.name)} not found{_instead(missed.place)}"
    if missed.name in FUNCTIONS:
        return f"{told} {missed.name}(@) is a function."
    return f"{told} Put strings in single quotes." if missed.is_compared else told


def _instead(place: Any) -> str:
    if isinstance(place, dict):
        return f". {_available(place)}"
    if isinstance(place, list):
        entries = _entries_of(place)
        return f": this is a list, so write [] after it. {_available(entries, of='in its entries')}"
    return f": this is a {_KINDS.get(type(place), 'value')}, which has no fields."


def _available(record: Mapping[str, Any], of: str = "") -> str:
    where = f" {of}" if of else ""
    return f"Available{where}: {listing(map(_written, record))}." if record else f"No fields are available{where}."


def _opened(name: str, value: Any) -> str:
    entries = _entries_of(value) if isinstance(value, list) else {}
    return f"{_written(name)}[] ({listing(map(_written, entries))})" if entries else _written(name)


def _entries_of(values: list[Any]) -> dict[str, Any]:
    """The names of the fields that occur in the first entries of a list."""
    records = [entry for entry in values[:_ENTRIES_READ] if isinstance(entry, dict)]
    return {name: None for record in records for name in record}


def _written(name: str) -> str:
    """The name as it must be written in an expression."""
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return shown if _PLAIN.fullmatch(shown) else json.dumps(shown, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
