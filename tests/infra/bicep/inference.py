"""What each expression of a template can be, and which of its names lead nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Final

from tests.infra.bicep.expressions import (
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
    Ternary,
    Text,
    Truth,
    Unary,
    Unknown,
)
from tests.infra.bicep.functions import FUNCTIONS, READ_A_FILE
from tests.infra.bicep.shapes import (
    ANYTHING,
    ARRAY,
    NULL,
    NUMBER,
    OBJECT,
    TEXT,
    TRUTH,
    Anything,
    Choice,
    Field,
    ListOf,
    OneOf,
    Record,
    Shape,
    TextShape,
    fits,
    of_json,
    one_of,
    record,
)
from tests.infra.bicep.template import Declaration, Template

Tell = Callable[[int, str], None]
Local = Mapping[str, Shape]
_OF_NUMBERS: Final = {"+", "-", "*", "/", "%"}
_OF_TRUTHS: Final = {"&&", "||"}


@dataclass
class Inference:
    """`outside` answers the shape of a resource or a module; `tell` hears of every name that leads nowhere."""

    template: Template
    outside: Callable[[Declaration], Shape]
    tell: Tell
    known: dict[str, Shape] = field(default_factory=dict)

    @singledispatchmethod
    def shape(self, expression: Expression, local: Local) -> Shape:
        kind = expression.kind if isinstance(expression, Unknown) else type(expression).__name__
        self.tell(expression.line, f"a {kind} is not something that these checks read here")
        return ANYTHING

    @shape.register
    def _number(self, _: Number, _local: Local) -> Shape:
        return NUMBER

    @shape.register
    def _truth(self, _: Truth, _local: Local) -> Shape:
        return TRUTH

    @shape.register
    def _null(self, _: Null, _local: Local) -> Shape:
        return NULL

    @shape.register
    def _array(self, array: Array, local: Local) -> Shape:
        items = [self.shape(item, local) for item in array.items]
        return ListOf(one_of(*items)) if items else ARRAY

    @shape.register
    def _ternary(self, ternary: Ternary, local: Local) -> Shape:
        self.expect(ternary.condition, TRUTH, "a condition", local)
        return one_of(self.shape(ternary.then, local), self.shape(ternary.otherwise, local))

    @shape.register
    def _unary(self, unary: Unary, local: Local) -> Shape:
        return self.shape(unary.of, local)

    @shape.register
    def _loop(self, loop: Loop, local: Local) -> Shape:
        return ListOf(self.shape(loop.body, {**local, **self.of_loop(loop, local)}))

    @shape.register
    def _if(self, choice: If, local: Local) -> Shape:
        self.expect(choice.condition, TRUTH, "a condition", local)
        return self.shape(choice.body, local)

    def expect(self, expression: Expression, expected: Shape, what: str, local: Local) -> None:
        actual = self.shape(expression, local)
        if not fits(actual, expected):
            self.tell(expression.line, f"{what} must be {expected}, and is {actual}")

    def of_loop(self, loop: Loop, local: Local) -> Local:
        """What the names of a loop stand for."""
        over = self.shape(loop.over, local)
        if not fits(over, ARRAY):
            self.tell(loop.line, f"a loop goes over an array, and not over {over}")
        return dict(zip(loop.names, (_item(over), NUMBER), strict=False))

    @shape.register
    def _text(self, text: Text, local: Local) -> Shape:
        if text.literal is not None:
            return TextShape(frozenset([text.literal]))
        for part in text.parts:
            if isinstance(part, Expression) and not fits(inner := self.shape(part, local), _PRINTABLE):
                self.tell(part.line, f"{inner} cannot be part of a string")
        return TEXT

    @shape.register
    def _name(self, name: Name, local: Local) -> Shape:
        if name.name in local:
            return local[name.name]
        found = self.template.symbols.get(name.name)
        if found is None or (found.parent and found.kind == "resource"):
            self.tell(name.line, f"there is no {name.name}")
            return ANYTHING
        if name.name not in self.known:
            self.known[name.name] = ANYTHING  # while it is being found out: a circle is told elsewhere
            self.known[name.name] = self._declared(found)
        return self.known[name.name]

    def _declared(self, declaration: Declaration) -> Shape:
        if declaration.kind == "parameter":
            return declaration.shape
        if declaration.kind == "variable" and declaration.value:
            return self.shape(declaration.value, {})
        shape = self.outside(declaration)
        return ListOf(shape) if declaration.loop else shape

    @shape.register
    def _member(self, member: Member, local: Local) -> Shape:
        if member.nested:
            nested = self.template.resources.get(member.name)
            if nested is None or not isinstance(member.of, Name) or nested.parent != member.of.name:
                self.tell(member.line, f"there is no nested resource {member.name}")
                return ANYTHING
            return self.outside(nested)
        return self._property(self.shape(member.of, local), member)

    def _property(self, shape: Shape, member: Member) -> Shape:
        if isinstance(shape, OneOf):
            parts = [part for part in shape.shapes if part != NULL]
            having = [part for part in parts if not _lacks(part, member.name)]
            if having != parts and not member.safe:
                self.tell(member.line, f"not every object here has a property {member.name}")
            return one_of(*(self._property(part, member) for part in having)) if having else ANYTHING
        if isinstance(shape, Anything | Choice):
            return ANYTHING
        if isinstance(shape, Record) and not _lacks(shape, member.name):
            return shape.fields[member.name].shape if member.name in shape.fields else shape.rest or ANYTHING
        name = shape.name if isinstance(shape, Record) else shape
        self.tell(member.line, f"{name} has no property {member.name}")
        return ANYTHING

    @shape.register
    def _index(self, index: Index, local: Local) -> Shape:
        of = self.shape(index.of, local)
        self.shape(index.at, local)
        return of.item if isinstance(of, ListOf) else ANYTHING

    @shape.register
    def _object(self, value: Object, local: Local) -> Shape:
        for entry in value.properties:
            if isinstance(entry.key, Expression):
                self.shape(entry.key, local)
        shapes = [(entry.key, self.shape(entry.value, local)) for entry in value.properties]
        named = {key: shape for key, shape in shapes if isinstance(key, str)}
        unnamed = [shape for key, shape in shapes if isinstance(key, Expression)]
        return record("object", named, one_of(*unnamed) if unnamed else None)

    @shape.register
    def _binary(self, binary: Binary, local: Local) -> Shape:
        if binary.operator in _OF_NUMBERS | _OF_TRUTHS:
            expected = NUMBER if binary.operator in _OF_NUMBERS else TRUTH
            for side in (binary.left, binary.right):
                self.expect(side, expected, f"a side of {binary.operator}", local)
            return expected
        left, right = self.shape(binary.left, local), self.shape(binary.right, local)
        return one_of(left, right) if binary.operator == "??" else TRUTH

    @shape.register
    def _call(self, call: Call, local: Local) -> Shape:
        if call.function not in FUNCTIONS:
            self.tell(call.line, f"there is no function {call.function}")
            return ANYTHING
        least, most, answer = FUNCTIONS[call.function]
        if not least <= len(call.arguments) <= most:
            self.tell(
                call.line, f"{call.function} takes {least} to {most} arguments, and is given {len(call.arguments)}"
            )
            return answer
        if call.function in READ_A_FILE:
            return self._file(call, answer)
        given = [self.shape(item, local) for item in call.arguments if not isinstance(item, Lambda)]
        item = self._over(call, given)
        bodies = [self._lambda(body, item, local) for body in call.arguments if isinstance(body, Lambda)]
        return _answer(call.function, given, bodies, answer)

    def _over(self, call: Call, given: list[Shape]) -> Shape:
        """What a lambda of this call is given."""
        if not any(isinstance(argument, Lambda) for argument in call.arguments):
            return ANYTHING
        if given and not fits(given[0], ARRAY):
            self.tell(call.line, f"{call.function} takes an array, and is given {given[0]}")
        return _item(given[0]) if given else ANYTHING

    def _lambda(self, function: Lambda, item: Shape, local: Local) -> Shape:
        return self.shape(function.body, {**local, **dict.fromkeys(function.names, item)})

    def _file(self, call: Call, answer: Shape) -> Shape:
        argument = call.arguments[0]
        name = argument.literal if isinstance(argument, Text) else None
        path = self.template.path.parent / name if name else None
        if path is None:
            self.tell(call.line, f"{call.function} takes the name of a file as it stands")
        elif not path.is_file():
            self.tell(call.line, f"there is no file {name}")
        elif call.function == "loadJsonContent":
            try:
                return of_json(json.loads(path.read_text(encoding="utf-8")))
            except ValueError:
                self.tell(call.line, f"{name} is not JSON")
        return answer


_PRINTABLE: Final = one_of(TEXT, NUMBER, TRUTH)


def _lacks(shape: Shape, name: str) -> bool:
    return isinstance(shape, Record) and shape.rest is None and name not in shape.fields


def _item(shape: Shape) -> Shape:
    if isinstance(shape, OneOf):
        return one_of(*(_item(part) for part in shape.shapes if part != NULL))
    return shape.item if isinstance(shape, ListOf) else ANYTHING


def _answer(function: str, given: list[Shape], bodies: list[Shape], otherwise: Shape) -> Shape:
    match function:
        case "filter" | "sort":
            return given[0]
        case "map":
            return ListOf(bodies[0])
        case "items":
            return ListOf(record("entry", {"key": TEXT, "value": _values(given[0])}))
        case "toObject":
            return record("object", {}, bodies[1] if len(bodies) > 1 else _item(given[0]))
        case "union" | "concat":
            return _merged(given)
        case _:
            return otherwise


def _values(shape: Shape) -> Shape:
    if not isinstance(shape, Record):
        return ANYTHING
    return one_of(*(entry.shape for entry in shape.fields.values()), *([shape.rest] if shape.rest else []))


def _merged(given: list[Shape]) -> Shape:
    if all(isinstance(shape, ListOf) for shape in given):
        return ListOf(one_of(*map(_item, given)))
    if not all(isinstance(shape, Record | OneOf | Anything) for shape in given):
        return OBJECT if any(isinstance(shape, Record) for shape in given) else ANYTHING
    fields: dict[str, Field] = {}
    for shape in given:
        if isinstance(shape, Record):
            fields |= shape.fields
    closed = all(isinstance(shape, Record) and shape.rest is None for shape in given)
    return Record("object", fields, None if closed else ANYTHING)
