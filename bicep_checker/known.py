"""Represents values that may be only partially known before deployment. Unknown values are named after their origin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

# A Python string, number, bool, None, list or dict, or one of the classes below.
Value = Any
_MOST_WAYS: Final = 16
_HASH: Final = "abcdefgh23456"  # an example of a result of uniqueString(): 13 lowercase letters and digits


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is unknown before deployment. Unknown values with the same name are equal."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Asked(Unknown):
    """A value that an existing resource returns during deployment."""

    kind: str = ""
    identity: str = ""  # identifies the resource

    @property
    def property(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Id:
    """The id of a resource: its type and names, and the function that created the id."""

    kind: str
    names: tuple[Value, ...]
    made_by: str = ""
    # The subscription and group, if they are specified.
    place: tuple[Value, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"id({self.kind}, {', '.join(map(said, self.names))})"


@dataclass(frozen=True, slots=True)
class Mixed:
    """A string that is only partially known."""

    parts: tuple[Value, ...]

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else f"{{{part}}}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Either:
    """A value with several possibilities, because it depends on an unknown value."""

    ways: tuple[Value, ...]

    def __str__(self) -> str:
        return " or ".join(map(said, self.ways))


@dataclass(frozen=True, slots=True)
class Scope:
    """The result of `resourceGroup(…)` or a similar function."""

    function: str
    arguments: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(said, self.arguments))})"


class Fields(dict[str, Value]):
    """An object that also stores the line number of each entry."""

    def __init__(self, values: dict[str, Value] | None = None, lines: dict[str, int] | None = None) -> None:
        super().__init__(values or {})
        self.lines: dict[str, int] = lines or {}


class Some(list[Value]):
    """An array in which some items may be missing."""


@dataclass(slots=True, eq=False)
class Thing:
    """A resource that a deployment creates or refers to."""

    kind: str
    version: str
    identity: str  # unique: the path of the module, and the position in a loop
    name: Value
    body: Fields
    file: str
    line: int
    existing: bool = False
    conditional: bool = False
    condition: Value = True
    way: tuple[str, ...] = ()  # the symbols of the modules that lead to the resource, then its own symbol
    parent: Thing | None = None
    scope: Value = None
    silenced: frozenset[int] = field(default_factory=frozenset)

    @property
    def names(self) -> tuple[Value, ...]:
        return (*(self.parent.names if self.parent else ()), self.name)

    @property
    def id(self) -> Id:
        return Id(self.kind, self.names, "symbol")

    def __str__(self) -> str:
        return self.identity


def either(ways: Iterator[Value]) -> Value:
    """Combine several possible values into one value, without duplicates."""
    found: dict[str, Value] = {}
    for way in ways:
        for one in way.ways if isinstance(way, Either) else (way,):
            found.setdefault(said([one, *one.place]) if isinstance(one, Id) else said(one), one)
    if len(found) <= 1:
        return next(iter(found.values()), None)
    return Either(tuple(found.values())) if len(found) <= _MOST_WAYS else Unknown(" or ".join(found))


def ways(value: Value) -> tuple[Value, ...]:
    return value.ways if isinstance(value, Either) else (value,)


def mixed(parts: list[Value]) -> Value:
    """Join parts of a string. Adjacent known parts are merged."""
    joined: list[Value] = []
    for inner in (inner for part in parts for inner in (part.parts if isinstance(part, Mixed) else (part,))):
        text = str(inner).lower() if isinstance(inner, bool) else str(inner) if isinstance(inner, int) else inner
        if isinstance(text, str) and joined and isinstance(joined[-1], str):
            joined[-1] += text
        elif text != "":
            joined.append(text)
    if not joined:
        return ""
    return joined[0] if len(joined) == 1 else Mixed(tuple(joined))


def example(value: Value) -> Value:
    """Replace each unknown hash in a string with an example: 13 letters and digits."""
    if not isinstance(value, Mixed):
        return value
    parts = [_HASH if _is_hash(part) else part for part in value.parts]
    return mixed(parts)


def _is_hash(part: Value) -> bool:
    return isinstance(part, Unknown) and part.name.removeprefix("toLower(").startswith("uniqueString(")


def is_known(value: Value) -> bool:
    match value:
        case list():
            return all(map(is_known, value))
        case dict():
            return all(map(is_known, value.values()))
        case _:
            return value is None or isinstance(value, str | int | float)


def said(value: Value) -> str:
    """Return a text that is the same for equal values."""
    match value:
        case str():
            return repr(value)
        case list():
            return f"[{', '.join(map(said, value))}]"
        case dict():
            return f"{{{', '.join(f'{key}: {said(inner)}' for key, inner in value.items())}}}"
        case _:
            return str(value)
