"""Formats rows with fewer tokens: values shared by all rows appear once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clients.answers import Json

_SHORTEST_SHARED: Final = 20
# A column is moved out of the rows if that saves more than this number of characters.
_SAVES: Final = 1000
_ID: Final = "/subscriptions/"
_PRECISE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(Z|[+-]\d\d:\d\d)?")
# Fields that stay as they are, because callers need the exact text, or because they contain user data.
_EXACT: Final = frozenset({"snapshot", "version", "text", "value", "body"})


def compact(rows: Sequence[Json]) -> Json:
    """Return the rows as `items`.

    The common prefix of ids moves to `idsBeginWith`. Columns with the same value in all rows move to `sameInAll`.
    """
    found = shortened([row_in_seconds(row) for row in rows], *columns_of_ids(rows))
    same = same_in_all(found["items"])
    if not same:
        return found
    items = [{name: value for name, value in row.items() if name not in same} for row in found["items"]]
    return {**found, "sameInAll": same, "items": items}


def row_in_seconds(row: Mapping[str, Any]) -> Json:
    return {name: value if name in _EXACT else in_seconds(value) for name, value in row.items()}


def in_seconds(value: Any) -> Any:
    """Remove fractions of a second from a time. Other values stay unchanged."""
    if isinstance(value, str) and (precise := _PRECISE.fullmatch(value)):
        return precise[1] + (precise[2] or "")
    return value


def columns_of_ids(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns that contain only ids, if several ids can share a prefix."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [name for name in names if all(_is_id(row[name]) for row in rows if row.get(name))]
    number = sum(1 for row in rows for name in columns if row.get(name))
    return columns if number > 1 else []


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value.lower().startswith(_ID)


def same_in_all(rows: Sequence[Mapping[str, Any]], saves: int = _SAVES) -> Json:
    """Return the columns that have the same value in all rows, if moving a column saves enough characters.

    Return nothing if all columns would be moved.
    """
    first = rows[0] if rows else {}
    same = {
        name: value
        for name, value in first.items()
        if (len(name) + len(str(value)) + 6) * (len(rows) - 1) > saves
        and all(name in row and _is_exactly(row[name], value) for row in rows)
    }
    return same if len(same) < len(first) else {}


def _is_exactly(one: Any, other: Any) -> bool:
    """Compare two values exactly, because True == 1 == 1.0 in Python."""
    return one == other and json.dumps(one) == json.dumps(other)


def shortened(records: Iterable[Mapping[str, Any]], *names: str) -> Json:
    """Remove the common prefix from the ids in these columns, and return the prefix as `idsBeginWith`."""
    found = list(records)
    ids = [str(record[name]) for record in found for name in names if record.get(name)]
    shared = _shared_beginning(ids)
    if len(shared) < _SHORTEST_SHARED:
        return {"items": found}
    return {
        "idsBeginWith": shared,
        "items": [{name: _without(value, shared, name in names) for name, value in one.items()} for one in found],
    }


def _without(value: Any, shared: str, is_id: bool) -> Any:
    return str(value)[len(shared) :] if is_id and value else value


def _shared_beginning(ids: Sequence[str]) -> str:
    """Return the leading segments that all ids share, ignoring case.

    The shared part never extends past the first provider namespace.
    """
    if not ids:
        return ""
    lowest, highest = min(ids, key=str.lower), max(ids, key=str.lower)
    low, high = lowest.split("/"), highest.split("/")
    number = 0
    for one, other in zip(low[:-1], high[:-1], strict=False):
        if one.lower() != other.lower() or (number and low[number - 1].lower() == "providers"):
            break
        number += 1
    shared = "".join(f"{segment}/" for segment in low[:number])
    # Some letters become longer in lowercase, so a prefix of the same length may differ.
    return shared if all(one[: len(shared)].lower() == shared.lower() for one in ids) else ""
