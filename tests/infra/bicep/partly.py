"""Computes expressions as far as they are known, in all ways that conditions leave open."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce, singledispatchmethod
from itertools import product
from pathlib import Path
from typing import Final

from tests.infra.bicep import networks
from tests.infra.bicep.expressions import (
    SPREAD,
    Array,
    Binary,
    Call,
    Expression,
    If,
    Index,
    Lambda,
    Loop,
    Member,
    Name,
    Null,
    Number,
    Object,
    Sure,
    Ternary,
    Text,
    Truth,
    Unary,
)
from tests.infra.bicep.known import (
    Asked,
    Either,
    Fields,
    Id,
    Mixed,
    Scope,
    Some,
    Thing,
    Unknown,
    Value,
    either,
    is_known,
    mixed,
    said,
    ways,
)
from tests.infra.bicep.values import FUNCTIONS, OPERATORS

_SCOPES: Final = {"resourceGroup", "subscription", "managementGroup", "tenant"}
_IDS: Final = {
    *("extensionResourceId", "managementGroupResourceId", "resourceId"),
    *("subscriptionResourceId", "tenantResourceId"),
}
_MOST_COMBINATIONS: Final = 16
# A function that is pure, and known for known arguments only.
_PLAIN: Final = FUNCTIONS.keys() - {"guid", "uniqueString", "environment", "subscription", "tenant"}
Look = Callable[[str], Value]
Report = Callable[[int, str, str], None]


@dataclass(frozen=True, slots=True)
class Partly:
    """Expressions of one file, whose names `look` knows; `report` hears of what cannot be."""

    look: Look
    folder: Path
    report: Report
    more: Mapping[str, Callable[..., Value]] = field(default_factory=dict)  # functions that mean something else here

    @singledispatchmethod
    def of(self, found: Expression) -> Value:
        return Unknown(f"{type(found).__name__}@{found.line}")

    @of.register
    def _text(self, found: Text) -> Value:
        if found.literal is not None:
            return found.literal
        parts = [part if isinstance(part, str) else self.of(part) for part in found.parts]
        return self._each(lambda *given: mixed(list(given)), parts)

    @of.register
    def _literal(self, found: Number | Truth) -> Value:
        return found.value

    @of.register
    def _null(self, _found: Null) -> Value:
        return None

    @of.register
    def _array(self, found: Array) -> Value:
        return [self.of(item) for item in found.items]

    @of.register
    def _object(self, found: Object) -> Value:
        made = Fields()
        for entry in found.properties:
            value = self.of(entry.value)
            if entry.key == SPREAD:
                made.update(value if isinstance(value, dict) else {})
                continue
            key = entry.key if isinstance(entry.key, str) else said(self.of(entry.key)).strip("'")
            made[key], made.lines[key] = value, entry.value.line
        return made

    @of.register
    def _name(self, found: Name) -> Value:
        return self.look(found.name)

    @of.register
    def _sure(self, found: Sure) -> Value:
        return either(way for way in ways(self.of(found.of)) if way is not None)

    @of.register
    def _member(self, found: Member) -> Value:
        if found.nested:
            return self.look(found.name)
        return either(self._property(way, found) for way in ways(self.of(found.of)))

    def _property(self, of: Value, found: Member) -> Value:
        if isinstance(of, dict) and found.name in of:
            return of[found.name]
        if isinstance(of, Thing):
            return _of_thing(of, found.name)
        if isinstance(of, Asked):
            return Asked(f"{of.name}.{found.name}", of.kind, of.identity)
        return None if of is None or isinstance(of, dict) else Unknown(f"{said(of)}.{found.name}")

    @of.register
    def _index(self, found: Index) -> Value:
        of, at = self.of(found.of), self.of(found.at)
        if isinstance(of, list) and isinstance(at, int):
            return self._item(found, of, at)
        if isinstance(of, dict) and isinstance(at, str) and at in of:
            return of[at]
        if isinstance(of, list | dict) and of and isinstance(at, Unknown):
            return either(iter(of.values() if isinstance(of, dict) else of))
        return Unknown(f"{said(of)}[{said(at)}]")

    def _item(self, found: Index, of: list[Value], at: int) -> Value:
        if at < len(of):
            return of[at]
        if not isinstance(of, Some):
            self.report(found.line, "index", f"there are {len(of)}, and none at {at}")
        return Unknown(f"{said(of)}[{at}]")

    @of.register
    def _loop(self, found: Loop) -> Value:
        return [self.inside(found.names, given).of(found.body) for given in self.each(found)]

    @of.register
    def _if(self, found: If) -> Value:
        return self.of(found.body)

    def each(self, loop: Loop) -> list[tuple[Value, Value]]:
        """What the names of a loop stand for, one time after the other."""
        over = [item for way in ways(self.of(loop.over)) for item in (way if isinstance(way, list) else [_item(way)])]
        return [(item, at) for at, item in enumerate(over)]

    def inside(self, names: tuple[str, ...], given: Sequence[Value]) -> Partly:
        inner = dict(zip(names, given, strict=False))
        return replace(self, look=lambda name: inner[name] if name in inner else self.look(name))

    @of.register
    def _lambda(self, found: Lambda) -> Value:
        return lambda *given: self.inside(found.names, given).of(found.body)

    @of.register
    def _ternary(self, found: Ternary) -> Value:
        condition = self.of(found.condition)
        if isinstance(condition, bool):
            return self.of(found.then if condition else found.otherwise)
        return either(iter([self.of(found.then), self.of(found.otherwise)]))

    @of.register
    def _unary(self, found: Unary) -> Value:
        of = self.of(found.of)
        if found.operator == "!" and isinstance(of, bool):
            return not of
        if found.operator == "-" and isinstance(of, int):
            return -of
        return of if found.operator == "()" else Unknown(f"{found.operator}{said(of)}")

    @of.register
    def _binary(self, found: Binary) -> Value:
        left, right = self.of(found.left), self.of(found.right)
        if found.operator == "??":
            return either(right if way is None else way for way in ways(left))
        if is_known(left) and is_known(right) and found.operator in OPERATORS:
            return OPERATORS[found.operator](left, right)
        return Unknown(f"({said(left)} {found.operator} {said(right)})")

    @of.register
    def _call(self, found: Call) -> Value:
        if found.function in {"loadJsonContent", "loadTextContent"}:
            return self._file(found)
        given = [self.of(argument) for argument in found.arguments]
        if found.function in _SCOPES:
            return Scope(found.function, tuple(given))
        if found.function in _PARTLY:
            return _PARTLY[found.function](*given)
        return self._each(self._function(found), given)

    def _function(self, found: Call) -> Callable[..., Value]:
        """What is asked for each way of the arguments."""
        if found.function in self.more:
            return self.more[found.function]
        if found.function in _IDS:
            return lambda *one: _id(found.function, one)
        if found.function == "cidrSubnet":
            return lambda *one: self._subnet(found, one)
        return lambda *one: _applied(found.function, one)

    def _file(self, found: Call) -> Value:
        name = found.arguments[0].literal if isinstance(found.arguments[0], Text) else None
        path = self.folder / (name or "")
        if not path.is_file():
            return _unknown(found.function, [name])
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if found.function == "loadJsonContent" else text

    def _subnet(self, found: Call, given: Sequence[Value]) -> Value:
        if is_known(list(given)):
            try:
                return networks.subnet(*given)
            except ValueError as error:
                self.report(found.line, "network", str(error))
        return _unknown(found.function, given)

    def _each(self, function: Callable[..., Value], given: Sequence[Value]) -> Value:
        """The answers for all ways of the arguments, as long as there are few."""
        sizes = [len(ways(one)) for one in given]
        if reduce(lambda one, other: one * other, sizes, 1) > _MOST_COMBINATIONS:
            return function(*(Unknown(said(one)) if isinstance(one, Either) else one for one in given))
        return either(function(*one) for one in product(*map(ways, given)))


def _of_thing(thing: Thing, name: str) -> Value:
    if name == "id":
        return thing.id
    if name == "name":
        return thing.name
    given = thing.body.get(name) if not thing.existing else None
    if name in {"location", "tags", "kind", "sku"} and given is not None:
        return given
    return Asked(f"{thing.identity}.{name}", thing.kind, thing.identity)


def _item(over: Value) -> Value:
    """One of a list that nobody here knows."""
    return Unknown(f"{said(over)}[…]")


def _id(function: str, given: Sequence[Value]) -> Value:
    """The kind is the first argument that looks like one; what comes before says where."""
    place = next((at for at, one in enumerate(given) if isinstance(one, str) and one.startswith("Microsoft.")), None)
    return _unknown(function, given) if place is None else Id(given[place], tuple(given[place + 1 :]), function)


def _applied(function: str, given: Sequence[Value]) -> Value:
    if function in _OF_EACH_WAY and len(given) == 1:
        return _OF_EACH_WAY[function](*given)
    if function in _PLAIN and is_known(list(given)):
        try:
            return FUNCTIONS[function](*given)
        except (TypeError, ValueError, AttributeError, IndexError, KeyError):
            return _unknown(function, given)  # told elsewhere: it is given what it does not take
    return _unknown(function, given)


def _unknown(function: str, given: Sequence[Value]) -> Unknown:
    return Unknown(f"{function}({', '.join(said(one) for one in given if not callable(one))})")


def _items_of(value: Value) -> list[Value]:
    """All that may be in an array."""
    each = [way if isinstance(way, list) else Some([_item(way)]) for way in ways(value)]
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
        return _unknown("items", [of])
    return [{"key": key, "value": value} for way in dictionaries for key, value in sorted(way.items())]


def _length(of: Value) -> Value:
    sized = isinstance(of, str | list | dict) and not isinstance(of, Some)
    return len(of) if sized else _unknown("length", [of])


def _empty(of: Value) -> Value:
    if isinstance(of, Id):
        return False
    certain = isinstance(of, str | list | dict) and not isinstance(of, Some)
    return not of if certain or of is None else _unknown("empty", [of])


_PARTLY: Final[dict[str, Callable[..., Value]]] = {
    "concat": _concat,
    "filter": _filter,
    "items": _entries,
    "map": _map,
    "toObject": _to_object,
    "union": _union,
}
# These are asked for each way of their argument.
_OF_EACH_WAY: Final[dict[str, Callable[..., Value]]] = {"empty": _empty, "length": _length}
