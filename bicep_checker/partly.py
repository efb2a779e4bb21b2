"""Evaluates expressions as far as possible before deployment. If a condition is unknown, the result has several
possible values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Final

from bicep_checker import networks
from bicep_checker.computing import PARTLY, applied, id_of, of_thing, one_of, unknown
from bicep_checker.expressions import (
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
from bicep_checker.known import (
    Asked,
    Either,
    Fields,
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
from bicep_checker.values import OPERATORS

_SCOPES: Final = {"resourceGroup", "subscription", "managementGroup", "tenant"}
_IDS: Final = {
    *("extensionResourceId", "managementGroupResourceId", "resourceId"),
    *("subscriptionResourceId", "tenantResourceId"),
}
_MOST_COMBINATIONS: Final = 16
Look = Callable[[str], Value]
Report = Callable[[int, str, str], None]
# For each class of expression: the method that evaluates it.
_READERS: Final[Mapping[type[Expression], str]] = {
    Text: "_text",
    Number: "_literal",
    Truth: "_literal",
    Null: "_null",
    Array: "_array",
    Object: "_object",
    Name: "_name",
    Sure: "_sure",
    Member: "_member",
    Index: "_index",
    Loop: "_loop",
    If: "_if",
    Lambda: "_lambda",
    Ternary: "_ternary",
    Unary: "_unary",
    Binary: "_binary",
    Call: "_call",
}


@dataclass(frozen=True, slots=True)
class Partly:
    """Evaluates the expressions of a file. `look` is a function that resolves a name, and
    `report` receives problems.
    """

    look: Look
    folder: Path
    report: Report

    def of(self, found: Expression) -> Value:
        reader = _READERS.get(type(found))
        return getattr(self, reader)(found) if reader else Unknown(f"{type(found).__name__}@{found.line}")

    def _text(self, found: Text) -> Value:
        if found.literal is not None:
            return found.literal
        parts = [part if isinstance(part, str) else self.of(part) for part in found.parts]
        return self._each(lambda *given: mixed(list(given)), parts)

    def _literal(self, found: Number | Truth) -> Value:
        return found.value

    def _null(self, _found: Null) -> Value:
        return None

    def _array(self, found: Array) -> Value:
        return [self.of(item) for item in found.items]

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

    def _name(self, found: Name) -> Value:
        return self.look(found.name)

    def _sure(self, found: Sure) -> Value:
        return either(way for way in ways(self.of(found.of)) if way is not None)

    def _member(self, found: Member) -> Value:
        if found.nested:
            return self.look(found.name)
        return either(self._property(way, found) for way in ways(self.of(found.of)))

    def _property(self, of: Value, found: Member) -> Value:
        if isinstance(of, dict) and found.name in of:
            return of[found.name]
        if isinstance(of, Thing):
            return of_thing(of, found.name)
        if isinstance(of, Asked):
            return Asked(f"{of.name}.{found.name}", of.kind, of.identity)
        return None if of is None or isinstance(of, dict) else Unknown(f"{said(of)}.{found.name}")

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
            self.report(found.line, "index", f"index {at} is out of range: the array has {len(of)} items")
        return Unknown(f"{said(of)}[{at}]")

    def _loop(self, found: Loop) -> Value:
        return [self.inside(found.names, given).of(found.body) for given in self.each(found)]

    def _if(self, found: If) -> Value:
        return self.of(found.body)

    def each(self, loop: Loop) -> list[tuple[Value, Value]]:
        """Return the values of the loop variables in each iteration."""
        over = [item for way in ways(self.of(loop.over)) for item in (way if isinstance(way, list) else [one_of(way)])]
        return [(item, at) for at, item in enumerate(over)]

    def inside(self, names: tuple[str, ...], given: Sequence[Value]) -> Partly:
        inner = dict(zip(names, given, strict=False))
        return replace(self, look=lambda name: inner[name] if name in inner else self.look(name))

    def _lambda(self, found: Lambda) -> Value:
        return lambda *given: self.inside(found.names, given).of(found.body)

    def _ternary(self, found: Ternary) -> Value:
        condition = self.of(found.condition)
        if isinstance(condition, bool):
            return self.of(found.then if condition else found.otherwise)
        return either(iter([self.of(found.then), self.of(found.otherwise)]))

    def _unary(self, found: Unary) -> Value:
        of = self.of(found.of)
        if found.operator == "!" and isinstance(of, bool):
            return not of
        if found.operator == "-" and isinstance(of, int):
            return -of
        return of if found.operator == "()" else Unknown(f"{found.operator}{said(of)}")

    def _binary(self, found: Binary) -> Value:
        left, right = self.of(found.left), self.of(found.right)
        if found.operator == "??":
            return either(right if way is None else way for way in ways(left))
        if is_known(left) and is_known(right) and found.operator in OPERATORS:
            return self._operated(found, left, right)
        return Unknown(f"({said(left)} {found.operator} {said(right)})")

    def _operated(self, found: Binary, left: Value, right: Value) -> Value:
        try:
            return OPERATORS[found.operator](left, right)
        except (TypeError, ZeroDivisionError) as error:
            self.report(found.line, "never", str(error))
            return Unknown(f"({said(left)} {found.operator} {said(right)})")

    def _call(self, found: Call) -> Value:
        if found.function in {"loadJsonContent", "loadTextContent"}:
            return self._file(found)
        given = [self.of(argument) for argument in found.arguments]
        if found.function in _SCOPES:
            return Scope(found.function, tuple(given))
        if found.function in PARTLY:
            return PARTLY[found.function](*given)
        return self._each(self._function(found), given)

    def _function(self, found: Call) -> Callable[..., Value]:
        """Return the Python function that evaluates a call. `_each` calls this function with each combination of
        arguments.
        """
        if found.function in _IDS:
            return lambda *one: id_of(found.function, one)
        if found.function == "cidrSubnet":
            return lambda *one: self._subnet(found, one)
        return lambda *one: applied(found.function, one)

    def _file(self, found: Call) -> Value:
        name = found.arguments[0].literal if isinstance(found.arguments[0], Text) else None
        path = self.folder / (name or "")
        if not path.is_file():
            return unknown(found.function, [name])
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if found.function == "loadJsonContent" else text

    def _subnet(self, found: Call, given: Sequence[Value]) -> Value:
        if is_known(list(given)):
            try:
                return networks.subnet(*given)
            except ValueError as error:
                self.report(found.line, "network", str(error))
        return unknown(found.function, given)

    def _each(self, function: Callable[..., Value], given: Sequence[Value]) -> Value:
        """Call a function with each combination of possible arguments, and return all results. If there are too many
        combinations, an argument that has several possible values counts as unknown.
        """
        sizes = [len(ways(one)) for one in given]
        if reduce(lambda one, other: one * other, sizes, 1) > _MOST_COMBINATIONS:
            return function(*(Unknown(said(one)) if isinstance(one, Either) else one for one in given))
        return either(function(*one) for one in product(*map(ways, given)))
