"""Evaluates Bicep functions whose arguments are only partially known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bicep_checker.known import (
    Asked,
    Fields,
    Id,
    Mixed,
    Some,
    Thing,
    Unknown,
    Value,
    is_known,
    mixed,
    said,
    ways,
)
from bicep_checker.values import FUNCTIONS

# Pure functions. The result of a pure function is known only if all arguments are known.
_PLAIN: Final = FUNCTIONS.keys() - {*("environment", "guid", "resourceId", "subscription", "tenant", "uniqueString")}


def of_thing(thing: Thing, name: str) -> Value:
    if name == "id":
        return thing.id
    if name == "name":
        return thing.name
    given = thing.body.get(name) if not thing.existing else None
    if name in {"location", "tags", "kind", "sku"} and given is not None:
        return given
    return Asked(f"{thing.identity}.{name}", thing.kind, thing.identity)


def one_of(over: Value) -> Value:
    """Return an unknown value that represents any item of a list."""
    return Unknown(f"{said(over)}[…]")


def id_of(function: str, given: Sequence[Value]) -> Value:
    """Evaluate a function that returns a resource id. The first argument that looks like a resource type is the type.
    The arguments before the type are the scope.
    """
    place = next((at for at, one in enumerate(given) if isinstance(one, str) and one.startswith("Microsoft.")), None)
    return (
        unknown(function, given)
        if place is None
        else Id(given[place], tuple(given[place + 1 :]), function, tuple(given[:place]))
    )


def applied(function: str, given: Sequence[Value]) -> Value:
    if function in _OF_EACH_WAY and len(given) == 1:
        return _OF_EACH_WAY[function](*given)
    if function in _PLAIN and is_known(list(given)):
        try:
            return FUNCTIONS[function](*given)
        except (TypeError, ValueError, AttributeError, IndexError, KeyError):
            return unknown(function, given)  # another check reports invalid arguments
    if function == "replace" and len(given) == _OF_REPLACE:
        return _replaced(*given)
    return unknown(function, given)


def _replaced(text: Value, old: Value, new: Value) -> Value:
    """Evaluate `replace` on a text that is at least partially known. The replacement may be unknown."""
    parts = text.parts if isinstance(text, Mixed) else (text,)
    if not isinstance(old, str) or not old or not any(isinstance(part, str) for part in parts):
        return unknown("replace", [text, old, new])
    return mixed([one for part in parts for one in (_around(part, old, new) if isinstance(part, str) else [part])])


def _around(text: str, old: str, new: Value) -> list[Value]:
    first, *others = text.split(old)
    return [first, *(one for other in others for one in (new, other))]


def unknown(function: str, given: Sequence[Value]) -> Unknown:
    return Unknown(f"{function}({', '.join(said(one) for one in given if not callable(one))})")


def _items_of(value: Value) -> list[Value]:
    """Return all items that an array may contain."""
    each = [way if isinstance(way, list) else Some([one_of(way)]) for way in ways(value)]
    if len(each) == 1:
        return each[0]
    return Some({said(item): item for way in each for item in way}.values())


def _joined(given: Sequence[list[Value]], items: list[Value]) -> list[Value]:
    return Some(items) if any(isinstance(one, Some) for one in given) else items


def _concat(*given: Value) -> Value:
    if all(isinstance(way, str | Unknown | Mixed) for one in given for way in ways(one)):
        return mixed(list(given))
    lists = [_items_of(one) for one in given]
    return _joined(lists, [item for one in lists for item in one])


def _union(*given: Value) -> Value:
    if any(isinstance(way, list) for one in given for way in ways(one)):
        lists = [_items_of(one) for one in given]
        return _joined(lists, list({said(item): item for one in lists for item in one}.values()))
    made = Fields()
    for way in (way for one in given for way in ways(one) if isinstance(way, dict)):
        made.update(way)
        made.lines.update(way.lines if isinstance(way, Fields) else {})
    return made


def _filter(items: Value, keep: Callable[..., Value]) -> Value:
    kept = [(item, keep(item)) for item in _items_of(items)]
    left = [item for item, keeps in kept if keeps is not False]
    return Some(left) if any(not isinstance(keeps, bool) for _, keeps in kept) else _joined([_items_of(items)], left)


def _map(items: Value, change: Callable[..., Value]) -> Value:
    return _joined([_items_of(items)], [change(item) for item in _items_of(items)])


def _to_object(items: Value, key: Callable[..., Value], value: Callable[..., Value] = lambda item: item) -> Value:
    return Fields({said(key(item)).strip("'"): value(item) for item in _items_of(items)})


def _entries(of: Value) -> Value:
    dictionaries = [way for way in ways(of) if isinstance(way, dict)]
    if not dictionaries:
        return unknown("items", [of])
    return [{"key": key, "value": value} for way in dictionaries for key, value in sorted(way.items())]


def _length(of: Value) -> Value:
    sized = isinstance(of, str | list | dict) and not isinstance(of, Some)
    return len(of) if sized else unknown("length", [of])


def _empty(of: Value) -> Value:
    if isinstance(of, Id) or (isinstance(of, Mixed) and any(isinstance(part, str) for part in of.parts)):
        return False
    certain = isinstance(of, str | list | dict) and not isinstance(of, Some)
    return not of if certain or of is None else unknown("empty", [of])


PARTLY: Final[dict[str, Callable[..., Value]]] = {
    "concat": _concat,
    "filter": _filter,
    "items": _entries,
    "map": _map,
    "toObject": _to_object,
    "union": _union,
}
# These functions are evaluated once for each possible value of their argument.
_OF_REPLACE: Final = 3
_OF_EACH_WAY: Final[dict[str, Callable[..., Value]]] = {"empty": _empty, "length": _length}
