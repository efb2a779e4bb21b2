"""Normalizes values for comparison, because Azure writes the same value in different ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from clients.azure.secret_texts import WITHHELD
from clients.folding import folded

Plain = str | int | float | bool | None

NOT_KNOWN_YET: Final = "(known only after deployment)"
_DEEPEST: Final = 60
A_VALUE: Final = "a value"
ANOTHER_VALUE: Final = "another value"
TOO_DEEP: Final = "(nested too deeply to show)"
# Properties that the service sets itself. These properties differ between two runs of the same what-if.
_OF_THE_SERVICE: Final = frozenset(
    {"provisioningstate", "etag", "systemdata", "createdtime", "changedtime", "creationtime", "creationdate"}
    | {"timecreated", "createdon", "createdat", "lastmodified", "lastmodifiedtime", "lastmodifiedtimeutc"}
    | {"lastmodifiedat", "resourceguid", "correlationid"}
)
_PLACES: Final = frozenset({"location", "locationname"})
# The properties that identify an entry of a list, regardless of its position.
_NAMES: Final = ("id", "name", "key")
_IDS: Final = ("/subscriptions/", "/providers/")


def is_of_the_service(name: str) -> bool:
    return folded(name) in _OF_THE_SERVICE


def is_expression(value: Any) -> bool:
    """Whether a value is an expression, which is evaluated during deployment.

    Two opening brackets are an escaped bracket.
    """
    is_bracketed = isinstance(value, str) and value.startswith("[") and value.endswith("]")
    return is_bracketed and value != WITHHELD and not value.startswith("[[")


def is_nothing(value: Any) -> bool:
    """Whether a value means the same as a missing property."""
    return value is None or value in ("", [], {})


def normalized(value: Any, name: str = "", depth: int = _DEEPEST) -> Any:
    """Normalize a value: remove noise, make IDs and locations uniform, and sort named entries."""
    if isinstance(value, str):
        return _text(value, name)
    if not isinstance(value, Mapping | list):
        return value
    if not depth:
        return TOO_DEEP
    return _list(value, name, depth) if isinstance(value, list) else _mapping(value, depth)


def _list(entries: list[Any], name: str, depth: int) -> list[Any]:
    found = [normalized(one, name, depth - 1) for one in entries]
    return sorted(found, key=_in_order) if found and all(map(label_of, found)) else found


def _mapping(entries: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    inner = {
        str(name): normalized(value, str(name), depth - 1)
        for name, value in entries.items()
        if not is_of_the_service(str(name))
    }
    return {name: value for name, value in sorted(inner.items()) if not is_nothing(value)}


def label_of(entry: Any) -> str:
    """The name that identifies a list entry. Empty if only the position identifies the entry."""
    if isinstance(entry, Mapping):
        return next((folded(entry[name]) for name in _NAMES if isinstance(entry.get(name), str) and entry[name]), "")
    return folded(entry) if is_id(entry) else ""


def is_setting(entry: Any) -> bool:
    """Whether a list entry is a setting, such as an environment variable. Only the names of settings are shown."""
    return isinstance(entry, Mapping) and isinstance(entry.get("name"), str) and "value" in entry


def _in_order(entry: Any) -> tuple[str, str]:
    return label_of(entry), json.dumps(entry, ensure_ascii=False, sort_keys=True)


def is_id(value: Any) -> bool:
    return isinstance(value, str) and folded(value).startswith(_IDS)


def plain_of(value: Any, name: str = "") -> Plain:
    """Normalize a value. If the value is an object or a list, convert it to text."""
    found = normalized(value, name)
    if is_nothing(found):
        return None
    return json.dumps(found, ensure_ascii=False) if isinstance(found, dict | list) else found


def _text(text: str, name: str) -> str:
    if is_expression(text):
        return NOT_KNOWN_YET
    if folded(name) in _PLACES:
        return folded(text).replace(" ", "")
    return folded(text) if is_id(text) else text
