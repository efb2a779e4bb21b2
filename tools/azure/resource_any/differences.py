"""Compares a request body with a resource, as JSON. The values of secrets are never shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from changes.preview import Edit, Fact
from clients.azure.withholding import WITHHELD, withheld

# Properties that Azure returns but callers cannot set.
_TOLD_ONLY: Final = frozenset({"id", "name", "type", "etag", "systemdata", "properties.provisioningstate"})
_DEEPEST: Final = 40
_UNSHOWN: Final = "a value that is not shown"
# Properties that often contain secrets but are not marked as secret.
_MAY_BE_SECRET: Final = frozenset({"value", "values", "secretvalue"})
_NOTHING: Final = object()

Leaves = dict[str, Any]


def merged(found: Mapping[str, Any], body: Mapping[str, Any]) -> list[Edit]:
    """Return what a PATCH changes: it sets the values in the body, removes properties that are null in the body, and
    replaces lists completely.
    """
    before = leaves(found)
    wanted = leaves(shown(body), keeps_null=True)
    edits: list[Edit] = []
    for path, after in wanted.items():
        edits += _removed(path, before) if after is None else _set(path, before, after)
    return edits


def replaced(found: Mapping[str, Any], body: Mapping[str, Any]) -> tuple[list[Edit], list[str]]:
    """Return the edits that a PUT is certain to make.

    Also return the settings that the body omits, because Azure may keep or remove them.
    """
    before, wanted = leaves(found), leaves(shown(body))
    edits = [edit for path, after in wanted.items() for edit in _set(path, before, after)]
    named = {path.lower() for path in wanted}
    left_out = [path for path in before if path.lower() not in named and not _is_read_only(path)]
    return edits, left_out


def leaves(document: Any, path: str = "", depth: int = _DEEPEST, *, keeps_null: bool = False) -> Leaves:
    """Return the values in a document, keyed by path. A list counts as a single value."""
    if isinstance(document, Mapping) and document and depth:
        found: Leaves = {}
        for name, value in document.items():
            found |= leaves(value, f"{path}.{name}" if path else str(name), depth - 1, keeps_null=keeps_null)
        return found
    is_nothing = document is None and not keeps_null
    return {} if is_nothing or not path else {path: document}


def edit_value(value: Any) -> Fact:
    """Format a value for an edit."""
    if value == WITHHELD or (not isinstance(value, str) and WITHHELD in (text := _json(value))):
        return _UNSHOWN if value == WITHHELD else text
    return value if value is None or isinstance(value, str | int | float | bool) else _json(value)


def shown(body: Mapping[str, Any]) -> Any:
    """Return a body without its secrets."""
    return _without_values(withheld(deepcopy(dict(body))))


def _without_values(document: Any, depth: int = _DEEPEST) -> Any:
    if isinstance(document, Mapping) and depth:
        return {
            name: WITHHELD if str(name).lower() in _MAY_BE_SECRET else _without_values(value, depth - 1)
            for name, value in document.items()
        }
    if isinstance(document, list) and depth:
        return [_without_values(one, depth - 1) for one in document]
    return WITHHELD if isinstance(document, Mapping | list) else document


def _set(path: str, before: Leaves, after: Any) -> Iterator[Edit]:
    if _is_read_only(path):
        return
    was = _at(path, before)
    named, others = _by_name(was), _by_name(after)
    if named and others:
        yield from _list_edits(path, named, others)
    elif was is _NOTHING or WITHHELD in _json(after) or _compared(path, was) != _compared(path, after):
        yield Edit(path, None if was is _NOTHING else edit_value(was), edit_value(after))


def _by_name(value: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return the records of a list by name, for example environment variables.

    Return an empty mapping if a record has no name.
    """
    records = [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
    found = {str(one["name"]): one for one in records if one.get("name") not in {None, WITHHELD}}
    return found if found and len(found) == len(value) else {}


def _list_edits(
    path: str, before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> Iterator[Edit]:
    """Match the records of two lists by name, and yield the differences: added, removed and changed records."""
    for name in {**before, **after}:
        own = f"{path} {name}"
        if name not in after:
            yield Edit(own, _in_short(before[name]), None)
        elif name not in before:
            yield Edit(own, None, _in_short(after[name]))
        else:
            yield from _record_edits(leaves(before[name], own), leaves(after[name], own))


def _record_edits(before: Leaves, after: Leaves) -> Iterator[Edit]:
    for inner, value in after.items():
        yield from _set(inner, before, value)
    for inner in before.keys() - after.keys():
        yield Edit(inner, edit_value(before[inner]), None)


def _in_short(record: Mapping[str, Any]) -> Fact:
    """Summarize a record of a list. If the record has a value that may be secret, the value is not shown."""
    return "a value" if _MAY_BE_SECRET & {name.lower() for name in record} else edit_value(record)


def _removed(path: str, before: Leaves) -> Iterator[Edit]:
    """Yield an edit for each value that is removed when a property is set to null, including values inside the
    property.
    """
    lowered = path.lower()
    for own, was in before.items():
        if own.lower() == lowered or own.lower().startswith(f"{lowered}."):
            yield Edit(own, edit_value(was), None)


def _at(path: str, before: Leaves) -> Any:
    lowered = path.lower()
    return next((value for own, value in before.items() if own.lower() == lowered), _NOTHING)


def _is_read_only(path: str) -> bool:
    lowered = path.lower()
    return lowered in _TOLD_ONLY or lowered.startswith("systemdata.")


def _compared(path: str, value: Any) -> Any:
    """Normalize a value for comparison.

    Different spellings of the same location count as equal; other values must match exactly.
    """
    is_spelt_freely = path.lower() == "location" and isinstance(value, str)
    return "".join(value.split()).casefold() if is_spelt_freely else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
