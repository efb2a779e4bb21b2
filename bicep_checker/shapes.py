"""A small type system for Bicep values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Anything:
    def __str__(self) -> str:
        return "anything"


@dataclass(frozen=True, slots=True)
class TextShape:
    """A string type. If only certain values are allowed, `values` contains these. Otherwise, `known` may contain the
    usual values.
    """

    values: frozenset[str] | None = None
    known: frozenset[str] = frozenset()
    pattern: str = ""
    shortest: int = 0
    longest: int | None = None
    secret: bool = False

    def __str__(self) -> str:
        return "a string" if self.values is None else "one of " + ", ".join(sorted(self.values))


@dataclass(frozen=True, slots=True)
class NumberShape:
    """A number type, with its possible values if they are known."""

    values: frozenset[int] | None = None
    least: int | None = None
    most: int | None = None

    def __str__(self) -> str:
        return "a number" if self.values is None else "one of " + ", ".join(map(str, sorted(self.values)))


@dataclass(frozen=True, slots=True)
class Simple:
    """The type of booleans, or of null."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Shape
    shortest: int = 0
    longest: int | None = None

    def __str__(self) -> str:
        return "an array"


@dataclass(frozen=True, slots=True)
class Field:
    """A property of an object type. The type of the property is built on first use, because schemas are recursive."""

    find: Callable[[], Shape]
    required: bool = False
    read_only: bool = False
    constant: bool = False  # the value must be known before deployment

    @property
    def shape(self) -> Shape:
        return self.find()


@dataclass(frozen=True, slots=True)
class Record:
    """An object type. `rest` is the type of additional properties, or None if they are not allowed. Problems in a
    lenient object are warnings instead of errors.
    """

    name: str
    fields: Mapping[str, Field]
    rest: Shape | None = None
    lenient: bool = False

    def __str__(self) -> str:
        return "an object"


@dataclass(frozen=True, slots=True)
class Choice:
    """A discriminated union: the value of one property determines the type of the object."""

    name: str
    by: str
    forms: Mapping[str, Record]
    shared: Mapping[str, Field]

    def __str__(self) -> str:
        return "an object"


@dataclass(frozen=True, slots=True)
class OneOf:
    shapes: tuple[Shape, ...]

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(map(str, self.shapes)))


Shape = Anything | TextShape | NumberShape | Simple | ListOf | Record | Choice | OneOf

ANYTHING, TEXT = Anything(), TextShape()
NUMBER, TRUTH, NULL = NumberShape(), Simple("true or false"), Simple("null")
OBJECT, ARRAY = Record("object", {}, ANYTHING), ListOf(ANYTHING)


def record(name: str, shapes: Mapping[str, Shape], rest: Shape | None = None) -> Record:
    return Record(name, {key: field(shape) for key, shape in shapes.items()}, rest)


def field(shape: Shape, *, required: bool = False, read_only: bool = False) -> Field:
    return Field(lambda: shape, required, read_only)


def one_of(*shapes: Shape) -> Shape:
    """Return the union of several types."""
    parts = _distinct([part for shape in shapes for part in parts_of(shape)])
    if any(isinstance(part, Anything) for part in parts):
        return ANYTHING
    merged = [*_merged_texts(parts), *_merged_numbers(parts)]
    rest = tuple(part for part in parts if not isinstance(part, TextShape | NumberShape))
    return merged[0] if len(merged) == 1 and not rest else _several((*merged, *rest))


def _several(parts: tuple[Shape, ...]) -> Shape:
    return parts[0] if len(parts) == 1 else OneOf(parts)


def _merged_texts(parts: tuple[Shape, ...]) -> Iterator[Shape]:
    texts = [part for part in parts if isinstance(part, TextShape)]
    known = [part.values for part in texts if part.values is not None]
    if len(texts) == 1:
        yield texts[0]
    elif texts:
        yield TextShape(frozenset().union(*known)) if len(known) == len(texts) else TEXT


def _merged_numbers(parts: tuple[Shape, ...]) -> Iterator[Shape]:
    numbers = [part for part in parts if isinstance(part, NumberShape)]
    known = [part.values for part in numbers if part.values is not None]
    if len(numbers) == 1:
        yield numbers[0]
    elif numbers:
        yield NumberShape(frozenset().union(*known)) if len(known) == len(numbers) else NUMBER


def without_null(shape: Shape) -> Shape:
    return one_of(*(part for part in parts_of(shape) if part != NULL)) if isinstance(shape, OneOf) else shape


def may_be_null(shape: Shape) -> bool:
    return isinstance(shape, OneOf) and NULL in shape.shapes


def parts_of(shape: Shape) -> tuple[Shape, ...]:
    return shape.shapes if isinstance(shape, OneOf) else (shape,)


def _distinct(parts: list[Shape]) -> tuple[Shape, ...]:
    plain = dict.fromkeys(part for part in parts if isinstance(part, Anything | TextShape | NumberShape | Simple))
    return (*plain, *(part for part in parts if isinstance(part, ListOf | Record | Choice)))


def of_json(content: Any) -> Shape:
    """Return the type of a value that was loaded from a file."""
    match content:
        case bool() | None:
            return NULL if content is None else TRUTH
        case int() | float():
            return NumberShape(frozenset([content])) if isinstance(content, int) else NUMBER
        case str():
            return TextShape(frozenset([content]))
        case list():
            return ListOf(one_of(*map(of_json, content))) if content else ARRAY
        case _:
            return record("object", {key: of_json(value) for key, value in content.items()})


def fits(actual: Shape, expected: Shape) -> bool:
    """Check whether values of one type can be used where another type is expected. An unknown type fits every type."""
    match actual, expected:
        case OneOf(), _:
            fit = all(fits(part, expected) for part in actual.shapes)
        case _, OneOf():
            fit = any(fits(actual, part) for part in expected.shapes)
        case TextShape(), TextShape():
            fit = _among(actual.values, expected.values)
        case NumberShape(), NumberShape():
            fit = _among(actual.values, expected.values)
        case ListOf(), ListOf():
            fit = fits(actual.item, expected.item)
        case ((Record() | Choice()), (Record() | Choice())):
            fit = True
        case _:
            fit = isinstance(expected, Anything) or isinstance(actual, Anything) or actual in (NULL, expected)
    return fit


def share(one: Shape, other: Shape) -> bool:
    """Check whether two string types, or two number types, have a value in common."""
    mine, its = getattr(one, "values", None), getattr(other, "values", None)
    return mine is None or its is None or bool(mine & its)


def _among(actual: AbstractSet[object] | None, expected: AbstractSet[object] | None) -> bool:
    return actual is None or expected is None or actual <= expected
