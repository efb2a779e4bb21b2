"""Lists the paths of the properties that a deployment would change in a resource."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clients.azure.secret_texts import WITHHELD
from clients.azure.what_if.values import (
    A_VALUE,
    ANOTHER_VALUE,
    TOO_DEEP,
    Plain,
    is_of_the_service,
    is_setting,
    label_of,
    plain_of,
)

_DEEPEST: Final = 60
_NO_EFFECT: Final = "noeffect"

Line = tuple[str, Plain, Plain]


def differences(delta: Any, before: Any, after: Any) -> list[Line]:
    """The changes in a delta. If there is no delta, returns the differences between the two states of a resource.

    In a list of named entries, an entry that only moved to another position does not count as a change.
    """
    is_told = isinstance(delta, list)
    lines = list(_of_delta(delta, "", after, _DEEPEST) if is_told else _of_states(before, after, "", _DEEPEST))
    gone = Counter((path, was) for path, was, will in lines if will is None and path.endswith("]"))
    made = Counter((path, will) for path, was, will in lines if was is None and path.endswith("]"))
    moved = gone & made
    left = Counter(lines) - Counter({(path, one, None): times for (path, one), times in moved.items()})
    return list((left - Counter({(path, None, one): times for (path, one), times in moved.items()})).elements())


def _of_delta(delta: Any, above: str, after: Any, depth: int) -> Iterator[Line]:
    if not depth:
        yield above, None, TOO_DEEP
    for one in delta if depth else ():
        if not isinstance(one, Mapping) or str(one.get("propertyChangeType")).lower() == _NO_EFFECT:
            continue
        words = str(one.get("path") or "").split(".")
        if is_of_the_service(words[-1]):
            continue
        path = f"{above}.{one.get('path')}" if above else str(one.get("path"))
        within = _at(after, words)
        if str(one.get("propertyChangeType")).lower() == "array":
            yield from _of_list(one.get("children"), path, within, depth - 1)
        elif isinstance(one.get("children"), list) and one["children"]:
            yield from _of_delta(one["children"], path, within, depth - 1)
        elif one.get("before") == one.get("after") == WITHHELD:
            yield path, A_VALUE, ANOTHER_VALUE
        else:
            yield from _line(path, words[-1], one.get("before"), one.get("after"))


def _of_list(children: Any, path: str, entries: Any, depth: int) -> Iterator[Line]:
    """The changes in a list.

    Named entries are identified by their names, because positions shift when an entry is removed.
    """
    if not depth:
        yield path, None, TOO_DEEP
    for child in children if isinstance(children, list) and depth else ():
        if not isinstance(child, Mapping):
            continue
        kind = str(child.get("propertyChangeType")).lower()
        entry = _at(entries, [str(child.get("path"))])
        is_whole = not (isinstance(child.get("children"), list) and child["children"])
        named = _label(child.get("after")) or _label(child.get("before")) if is_whole else _label(entry)
        place = f"{path}[{named or child.get('path')}]"
        if kind == _NO_EFFECT:
            continue
        if is_whole:
            states = [A_VALUE if is_setting(one) else one for one in (child.get("before"), child.get("after"))]
            yield from _line(place, path.rpartition(".")[2], *states)
        elif kind == "array":
            yield from _of_list(child["children"], place, entry, depth - 1)
        else:
            yield from _of_delta(child["children"], place, entry, depth - 1)


def _label(entry: Any) -> str:
    """The name of a list entry. Names of settings keep their original spelling, because people search for this
    spelling.
    """
    return str(entry["name"]) if is_setting(entry) else label_of(entry)


def _of_states(before: Any, after: Any, path: str, depth: int) -> Iterator[Line]:
    """The differences between two states, compared value by value. A list counts as a single value."""
    if isinstance(before, Mapping) and isinstance(after, Mapping) and depth:
        for name in sorted({*before, *after}):
            if not is_of_the_service(str(name)):
                inner = f"{path}.{name}" if path else str(name)
                yield from _of_states(before.get(name), after.get(name), inner, depth - 1)
        return
    yield from _line(path, path.rpartition(".")[2], before, after)


def _line(path: str, name: str, before: Any, after: Any) -> Iterator[Line]:
    was, will = plain_of(before, name), plain_of(after, name)
    if was != will or type(was) is not type(will):
        yield path, was, will


def _at(value: Any, words: list[str]) -> Any:
    """The value at a path; None if a name contains a dot."""
    for word in words:
        if isinstance(value, Mapping):
            value = value.get(word)
        elif isinstance(value, list) and word.isdecimal():
            value = value[int(word)] if int(word) < len(value) else None
        else:
            return None
    return value
