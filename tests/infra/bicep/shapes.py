"""What a value may be: the little of a type system that a check of templates needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Anything:
    def __str__(self) -> str:
        return "anything"


@dataclass(frozen=True, slots=True)
class TextShape:
    """A string; one of the values, where they are known."""

    values: frozenset[str] | None = None

    def __str__(self) -> str:
        return "a string" if self.values is None else "one of " + ", ".join(sorted(self.values))


@dataclass(frozen=True, slots=True)
class Simple:
    """A number, a truth value or null."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Shape

    def __str__(self) -> str:
        return "an array"


@dataclass(frozen=True, slots=True)
class Field:
    """A property. Its shape is found when it is asked for, because schemas refer to themselves."""

    find: Callable[[], Shape]
    required: bool = False
    read_only: bool = False

    @property
    def shape(self) -> Shape:
        return self.find()


@dataclass(frozen=True, slots=True)
class Record:
    """An object. With `rest`, it has further properties of any name."""

    name: str
    fields: Mapping[str, Field]
    rest: Shape | None = None

    def __str__(self) -> str:
        return "an object"


@dataclass(frozen=True, slots=True)
class Choice:
    """An object whose form depends on the value of one of its properties."""

    name: str
    by: str
    forms: Mapping[str, Record]

    def __str__(self) -> str:
        return "an object"


@dataclass(frozen=True, slots=True)
class OneOf:
    shapes: tuple[Shape, ...]

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(map(str, self.shapes)))


Shape = Anything | TextShape | Simple | ListOf | Record | Choice | OneOf

ANYTHING, TEXT = Anything(), TextShape()
NUMBER, TRUTH, NULL = Simple("a number"), Simple("true or false"), Simple("null")
OBJECT, ARRAY = Record("object", {}, ANYTHING), ListOf(ANYTHING)


def record(name: str, shapes: Mapping[str, Shape], rest: Shape | None = None) -> Record:
    return Record(name, {key: field(shape) for key, shape in shapes.items()}, rest)


def field(shape: Shape, *, required: bool = False, read_only: bool = False) -> Field:
    return Field(lambda: shape, required, read_only)


def one_of(*shapes: Shape) -> Shape:
    """The shape of what may be of several."""
    parts = tuple(dict.fromkeys(part for shape in shapes for part in _parts(shape))) if _hashable(shapes) else shapes
    if ANYTHING in parts:
        return ANYTHING
    texts = [part for part in parts if isinstance(part, TextShape)]
    rest: tuple[Shape, ...] = tuple(part for part in parts if not isinstance(part, TextShape))
    if texts:
        known = [part.values for part in texts if part.values is not None]
        rest = (TextShape(frozenset().union(*known)) if len(known) == len(texts) else TEXT, *rest)
    return rest[0] if len(rest) == 1 else OneOf(rest)


def _parts(shape: Shape) -> tuple[Shape, ...]:
    return shape.shapes if isinstance(shape, OneOf) else (shape,)


def _hashable(shapes: tuple[Shape, ...]) -> bool:
    return all(isinstance(part, Anything | TextShape | Simple) for shape in shapes for part in _parts(shape))


def of_json(content: Any) -> Shape:
    """The shape of a value that was read from a file."""
    match content:
        case bool():
            return TRUTH
        case int() | float():
            return NUMBER
        case str():
            return TextShape(frozenset([content]))
        case list():
            return ListOf(one_of(*map(of_json, content))) if content else ARRAY
        case dict():
            return record("object", {key: of_json(value) for key, value in content.items()})
        case _:
            return NULL


def fits(actual: Shape, expected: Shape) -> bool:
    """Whether a value of the one shape may stand where the other is expected. What cannot be known, may."""
    match actual, expected:
        case OneOf(), _:
            return all(fits(part, expected) for part in actual.shapes)
        case _, OneOf():
            return any(fits(actual, part) for part in expected.shapes)
        case TextShape(), TextShape():
            return actual.values is None or expected.values is None or actual.values <= expected.values
        case ListOf(), ListOf():
            return fits(actual.item, expected.item)
        case ((Record() | Choice()), (Record() | Choice())):
            return True
        case _:
            return ANYTHING in (actual, expected) or actual in (NULL, expected)


def records(shape: Shape) -> Iterator[Record]:
    """The objects that a value of this shape may be."""
    for part in _parts(shape):
        if isinstance(part, Record):
            yield part
