"""Evaluates the kinds of expressions that this project's templates contain."""

from __future__ import annotations

import json
import operator
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce, singledispatchmethod
from pathlib import Path
from typing import Any, Final

from bicep_checker.expressions import (
    Array,
    Binary,
    Call,
    Expression,
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

TENANT: Final = "11111111-1111-1111-1111-111111111111"


@dataclass(frozen=True, slots=True)
class Values:
    """Evaluates the expressions of a file. `look` is a function that resolves a name."""

    look: Callable[[str], Any]
    folder: Path

    @singledispatchmethod
    def of(self, found: Expression) -> Any:
        """Evaluate an expression."""
        raise NotImplementedError(f"line {found.line}: {found}")

    @of.register
    def _(self, found: Text) -> str:
        return "".join(part if isinstance(part, str) else str(self.of(part)) for part in found.parts)

    @of.register
    def _(self, found: Number | Truth) -> int:
        return found.value

    @of.register
    def _(self, _found: Null) -> None:
        return None

    @of.register
    def _(self, found: Array) -> list[Any]:
        return [self.of(item) for item in found.items]

    @of.register
    def _(self, found: Object) -> dict[str, Any]:
        return {self._key(entry.key): self.of(entry.value) for entry in found.properties}

    @of.register
    def _(self, found: Name) -> Any:
        return self.look(found.name)

    @of.register
    def _(self, found: Member) -> Any:
        of = self.of(found.of)
        if _may_lack(found) and (of is None or (isinstance(of, Mapping) and found.name not in of)):
            return None
        return of[found.name]

    @of.register
    def _(self, found: Sure) -> Any:
        return self.of(found.of)

    @of.register
    def _(self, found: Index) -> Any:
        return self.of(found.of)[self.of(found.at)]

    @of.register
    def _(self, found: Call) -> Any:
        if found.function == "loadJsonContent":
            return json.loads((self.folder / self.of(found.arguments[0])).read_text(encoding="utf-8"))
        return FUNCTIONS[found.function](*map(self.of, found.arguments))

    @of.register
    def _(self, found: Lambda) -> Callable[..., Any]:
        return lambda *given: self._with(found.names, given).of(found.body)

    @of.register
    def _(self, found: Loop) -> list[Any]:
        return [self._with(found.names, (item, at)).of(found.body) for at, item in enumerate(self.of(found.over))]

    @of.register
    def _(self, found: Ternary) -> Any:
        return self.of(found.then if self.of(found.condition) else found.otherwise)

    @of.register
    def _(self, found: Unary) -> Any:
        return not self.of(found.of) if found.operator == "!" else self.of(found.of)

    @of.register
    def _(self, found: Binary) -> Any:
        left = self.of(found.left)
        if found.operator == "??":
            return self.of(found.right) if left is None else left
        return OPERATORS[found.operator](left, self.of(found.right))

    def _key(self, key: str | Expression) -> str:
        return key if isinstance(key, str) else str(self.of(key))

    def _with(self, names: tuple[str, ...], given: tuple[Any, ...]) -> Values:
        inner = dict(zip(names, given, strict=False))
        return Values(lambda name: inner[name] if name in inner else self.look(name), self.folder)


def _may_lack(found: Expression) -> bool:
    """Check whether an expression may be null. After `.?`, the rest of the chain may be null, too."""
    return isinstance(found, Member) and (found.safe or _may_lack(found.of))


def _union(one: Any, other: Any) -> Any:
    return {**one, **other} if isinstance(one, dict) else [*one, *(item for item in other if item not in one)]


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "contains": lambda of, one: one in of,
    "concat": lambda *lists: [item for one in lists for item in one],
    "empty": lambda of: not of,
    "environment": lambda: {
        "name": "AzureCloud",
        "authentication": {"loginEndpoint": "https://login.microsoftonline.com/"},
    },
    "filter": lambda items, keep: list(filter(keep, items)),
    "guid": lambda *of: str(uuid.uuid5(uuid.NAMESPACE_OID, "/".join(map(str, of)))),
    "last": lambda of: of[-1],
    "length": len,
    "items": lambda of: [{"key": key, "value": value} for key, value in sorted(of.items())],
    "join": lambda items, between: between.join(items),
    "map": lambda items, change: list(map(change, items)),
    "resourceId": lambda *parts: f"/subscriptions/{parts[0]}/resourceGroups/{parts[1]}/providers/{parts[2]}/{parts[3]}",
    "replace": lambda text, old, new: text.replace(old, new),
    "split": lambda text, at: text.split(at),
    "subscription": lambda: {"id": "/subscriptions/s", "subscriptionId": "s"},
    "take": lambda of, many: of[:many],
    "tenant": lambda: {"tenantId": TENANT},
    "toLower": str.lower,
    "toObject": lambda items, key, value: {key(item): value(item) for item in items},
    "trim": str.strip,
    "union": lambda *of: reduce(_union, of),
    "uniqueString": lambda *_: "unique",
}
OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "&&": lambda one, other: one and other,
    "||": lambda one, other: one or other,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
}
