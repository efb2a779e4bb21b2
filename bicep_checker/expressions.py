"""The expressions of Bicep, with their line numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Final

_PLAIN: Final = {"bool", "int", "str", "tuple[str, ...]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    line: int

    def inner(self) -> Iterator[Expression]:
        """Yield the direct subexpressions."""
        for name in self._parts():
            value = getattr(self, name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Property):
                    yield from (side for side in (part.key, part.value) if isinstance(side, Expression))
                elif isinstance(part, Expression):
                    yield part

    @classmethod
    @cache
    def _parts(cls) -> tuple[str, ...]:
        """Return the names of the fields that contain expressions."""
        return tuple(entry.name for entry in fields(cls) if entry.type not in _PLAIN)

    def everything(self) -> Iterator[Expression]:
        """Yield this expression and all subexpressions."""
        waiting: list[Expression] = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed(tuple(found.inner()))


@dataclass(frozen=True, slots=True)
class Text(Expression):
    """A string: literal parts and interpolated expressions."""

    parts: tuple[str | Expression, ...]

    @property
    def literal(self) -> str | None:
        pieces = [part for part in self.parts if isinstance(part, str)]
        return "".join(pieces) if len(pieces) == len(self.parts) else None


@dataclass(frozen=True, slots=True)
class Number(Expression):
    value: int


@dataclass(frozen=True, slots=True)
class Truth(Expression):
    value: bool


@dataclass(frozen=True, slots=True)
class Null(Expression):
    pass


@dataclass(frozen=True, slots=True)
class Array(Expression):
    items: tuple[Expression, ...]


SPREAD: Final = "..."


@dataclass(frozen=True, slots=True)
class Property:
    """A property of an object. If the key is `SPREAD`, all properties of the object in `value` are inserted."""

    key: str | Expression
    value: Expression
    line: int


@dataclass(frozen=True, slots=True)
class Object(Expression):
    properties: tuple[Property, ...]

    @property
    def named(self) -> Mapping[str, Expression]:
        return {entry.key: entry.value for entry in self.properties if isinstance(entry.key, str)}


@dataclass(frozen=True, slots=True)
class Name(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """A member access: `of.name`, `of.?name` (the member may be missing), or `of::name` (a nested resource)."""

    of: Expression
    name: str
    nested: bool = False
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Sure(Expression):
    """A non-null assertion: `of!`."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Index(Expression):
    of: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    names: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Ternary(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    operator: str
    of: Expression


@dataclass(frozen=True, slots=True)
class Loop(Expression):
    """A loop: `[for name, index in over: body]`."""

    names: tuple[str, ...]
    over: Expression
    body: Expression


@dataclass(frozen=True, slots=True)
class If(Expression):
    """A conditional resource or module: the condition and the body."""

    condition: Expression
    body: Expression


@dataclass(frozen=True, slots=True)
class Unknown(Expression):
    """Syntax that the checker does not support."""

    kind: str
