"""Values as far as they can be known without deploying: the rest keeps the name of where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

# Either strings, numbers, truths, None, lists and dictionaries of Python, or one of the classes below.
Value = Any
_MOST_WAYS: Final = 16
_HASH: Final = "abcdefgh23456"  # of uniqueString(): 13 small letters and digits


@dataclass(frozen=True, slots=True)
class Unknown:
    """What somebody else decides. Two of the same name are the same."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Asked(Unknown):
    """What a resource answers when it is there."""

    kind: str = ""
    identity: str = ""  # of the resource that is asked

    @property
    def property(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Id:
    """The id of a resource: what it is of, and by which function it was made."""

    kind: str
    names: tuple[Value, ...]
    made_by: str = ""
    # Where it is: a subscription and a group, as far as they are said.
    place: tuple[Value, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"id({self.kind}, {', '.join(map(said, self.names))})"


@dataclass(frozen=True, slots=True)
class Mixed:
    """A string of which only some parts are known."""

    parts: tuple[Value, ...]

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else f"{{{part}}}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Either:
    """One of several, depending on what somebody else decides."""

    ways: tuple[Value, ...]

    def __str__(self) -> str:
        return " or ".join(map(said, self.ways))


@dataclass(frozen=True, slots=True)
class Scope:
    """What `resourceGroup(…)` and its like stand for."""

    function: str
    arguments: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(said, self.arguments))})"


class Fields(dict[str, Value]):
    """An object, with the lines of its entries."""

    def __init__(self, values: dict[str, Value] | None = None, lines: dict[str, int] | None = None) -> None:
        super().__init__(values or {})
        self.lines: dict[str, int] = lines or {}


class Some(list[Value]):
    """An array of which some items may be missing."""


@dataclass(slots=True, eq=False)
class Thing:
    """A resource as one deployment makes it, or finds it."""

    kind: str
    version: str
    identity: str  # tells it from all others: the way to it, and its place in a loop
    name: Value
    body: Fields
    file: str
    line: int
    existing: bool = False
    conditional: bool = False
    condition: Value = True
    way: tuple[str, ...] = ()  # the modules that lead to it, and then its own symbol
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
    """One of these; the same ones count once."""
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
    """A string of these; known parts that touch become one."""
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
    """The text that a name comes to where all that is unknown of it are hashes, whose form is known; else the same."""
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
    """The same text for the same value."""
    match value:
        case str():
            return repr(value)
        case list():
            return f"[{', '.join(map(said, value))}]"
        case dict():
            return f"{{{', '.join(f'{key}: {said(inner)}' for key, inner in value.items())}}}"
        case _:
            return str(value)
