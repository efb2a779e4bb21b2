"""Infers the type of each expression, and reports undefined names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from bicep_checker.calls import Calls, item_of
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
    Unknown,
)
from bicep_checker.findings import WARNING, Tell, nearest, proposal
from bicep_checker.functions import FUNCTIONS
from bicep_checker.shapes import (
    ANYTHING,
    ARRAY,
    NULL,
    NUMBER,
    TEXT,
    TRUTH,
    Anything,
    Choice,
    Field,
    ListOf,
    NumberShape,
    OneOf,
    Record,
    Shape,
    TextShape,
    fits,
    may_be_null,
    one_of,
    share,
    without_null,
)
from bicep_checker.shapes import field as of_shape
from bicep_checker.template import Declaration, Template

Local = Mapping[str, Shape]
_OF_NUMBERS: Final = {"+", "-", "*", "/", "%"}
_OF_TRUTHS: Final = {"&&", "||"}
# Properties of a resource that exist even if the resource's condition is false.
_WITHOUT_CONDITION: Final = {"id", "name", "type", "apiVersion"}
_IN_A_LAMBDA: Final = "(lambda)"  # not a valid name in Bicep, so it cannot clash with a local name
_IN_A_DEFAULT: Final = "(default)"
DEFAULT: Final[Local] = {_IN_A_DEFAULT: ANYTHING}
# For each class of expression: the method that infers its type.
_READERS: Final[Mapping[type[Expression], str]] = {
    Number: "_number",
    Truth: "_truth",
    Null: "_null",
    Array: "_array",
    Ternary: "_ternary",
    Unary: "_unary",
    Sure: "_sure",
    Loop: "_loop",
    If: "_if",
    Text: "_text",
    Name: "_name",
    Member: "_member",
    Index: "_index",
    Object: "_object",
    Binary: "_binary",
    Call: "_call",
}


@dataclass
class Inference:
    """Infers types. `outside` is a function that returns the type of a resource or module. `tell` is a function that
    reports an undefined name.
    """

    template: Template
    outside: Callable[[Declaration], Shape]
    tell: Tell
    known: dict[str, Shape] = field(default_factory=dict)

    @cached_property
    def _calls(self) -> Calls:
        return Calls(self.template.path.parent, self.template.target, self.tell)

    def shape(self, expression: Expression, local: Local) -> Shape:
        if type(expression) in _READERS:
            found: Shape = getattr(self, _READERS[type(expression)])(expression, local)
            return found
        kind = expression.kind if isinstance(expression, Unknown) else type(expression).__name__
        self.tell(expression.line, "unread", f"these checks do not support a {kind} here")
        return ANYTHING

    def _number(self, number: Number, _local: Local) -> Shape:
        return NumberShape(frozenset([number.value]))

    def _truth(self, _: Truth, _local: Local) -> Shape:
        return TRUTH

    def _null(self, _: Null, _local: Local) -> Shape:
        return NULL

    def _array(self, array: Array, local: Local) -> Shape:
        items = [self.shape(item, local) for item in array.items]
        return ListOf(one_of(*items)) if items else ARRAY

    def _ternary(self, ternary: Ternary, local: Local) -> Shape:
        self.expect(ternary.condition, TRUTH, "a condition", local, "BCP046")
        return one_of(self.shape(ternary.then, local), self.shape(ternary.otherwise, local))

    def _unary(self, unary: Unary, local: Local) -> Shape:
        inner = self.shape(unary.of, local)
        if unary.operator == "-" and isinstance(inner, NumberShape) and inner.values:
            return NumberShape(frozenset(-value for value in inner.values))
        if unary.operator == "!" and not fits(inner, TRUTH):
            self.tell(unary.line, "BCP044", f"! takes a boolean, but got {inner}")
        return inner

    def _sure(self, sure: Sure, local: Local) -> Shape:
        return without_null(self.shape(sure.of, local))

    def _loop(self, loop: Loop, local: Local) -> Shape:
        return ListOf(self.shape(loop.body, {**local, **self.of_loop(loop, local)}))

    def _if(self, choice: If, local: Local) -> Shape:
        self.expect(choice.condition, TRUTH, "a condition", local, "BCP046")
        return self.shape(choice.body, local)

    def expect(self, expression: Expression, expected: Shape, what: str, local: Local, code: str) -> None:
        actual = self.shape(expression, local)
        if not fits(actual, expected):
            self.tell(expression.line, code, f"{what} must be {expected}, but is {actual}")

    def of_loop(self, loop: Loop, local: Local) -> Local:
        """Return the variables that a loop declares, with their types."""
        over = self.shape(loop.over, local)
        if not fits(over, ARRAY):
            self.tell(loop.line, "BCP137", f"a loop takes an array, but got {over}")
        return dict(zip(loop.names, (item_of(over), NUMBER), strict=False))

    def _text(self, text: Text, local: Local) -> Shape:
        if text.literal is not None:
            return TextShape(frozenset([text.literal]))
        for part in text.parts:
            if isinstance(part, Expression) and not fits(inner := self.shape(part, local), _PRINTABLE):
                self.tell(part.line, "text", f"{inner} cannot be part of a string")
        return TEXT

    def _name(self, name: Name, local: Local) -> Shape:
        if name.name in local:
            return local[name.name]
        found = self.template.symbols.get(name.name)
        if found is None or (found.parent and found.kind == "resource"):
            among = [*self.template.symbols, *local]
            code = "BCP070" if _IN_A_LAMBDA in local else "BCP082" if nearest(name.name, among) else "BCP057"
            self.tell(name.line, code, f"{name.name} does not exist{proposal(name.name, among)}")
            return ANYTHING
        if name.name not in self.known:
            self.known[name.name] = ANYTHING  # the declaration may refer to itself; another check reports this
            self.known[name.name] = self._declared(found)
        return self.known[name.name]

    def _declared(self, declaration: Declaration) -> Shape:
        if declaration.kind == "parameter":
            return declaration.shape
        if declaration.kind == "variable" and declaration.value:
            return self.shape(declaration.value, {})
        shape = self.outside(declaration)
        if declaration.conditional:
            shape = one_of(NULL, shape)
        return ListOf(shape) if declaration.loop else shape

    def _member(self, member: Member, local: Local) -> Shape:
        if member.nested:
            nested = self.template.resources.get(member.name)
            if nested is None or not isinstance(member.of, Name | Member) or nested.parent != member.of.name:
                self.tell(member.line, "BCP159", f"nested resource {member.name} does not exist")
                return ANYTHING
            return ListOf(self.outside(nested)) if nested.loop else self.outside(nested)
        of = self.shape(member.of, local)
        if may_be_null(of) and not member.safe and not _short(member.of) and not self._always(member):
            self.tell(member.line, "BCP318", f"{_named(member.of)} may be null, so it may have no {member.name}")
        shape = self._property(without_null(of), member)
        return one_of(NULL, shape) if _short(member) else shape

    def _always(self, member: Member) -> bool:
        """Check whether a member belongs to a resource and exists regardless of the condition of this resource."""
        of = member.of.of if isinstance(member.of, Index) else member.of
        declared = self.template.symbols.get(of.name) if isinstance(of, Name) else None
        return declared is not None and declared.kind == "resource" and member.name in _WITHOUT_CONDITION

    def _property(self, shape: Shape, member: Member) -> Shape:
        if isinstance(shape, OneOf):
            having = [part for part in shape.shapes if not _lacks(part, member.name)]
            if len(having) != len(shape.shapes) and not member.safe:
                self.tell(member.line, "BCP053", f"not every object here has a property {member.name}")
            return one_of(*(self._property(part, member) for part in having)) if having else ANYTHING
        if isinstance(shape, Anything | Choice):
            return ANYTHING
        if isinstance(shape, Record) and not _lacks(shape, member.name):
            return shape.fields[member.name].shape if member.name in shape.fields else shape.rest or ANYTHING
        if not member.safe or not isinstance(shape, Record):
            self._without(shape, member)
        return ANYTHING

    def _without(self, shape: Shape, member: Member) -> None:
        among = shape.fields if isinstance(shape, Record) else {}
        level = WARNING if isinstance(shape, Record) and shape.lenient else None
        code = "BCP055" if not isinstance(shape, Record) else "BCP083" if nearest(member.name, among) else "BCP053"
        name = shape.name if isinstance(shape, Record) else shape
        text = f"{name} has no property {member.name}{proposal(member.name, among)}"
        self.tell(member.line, code, text, level)

    def _index(self, index: Index, local: Local) -> Shape:
        of = self.shape(index.of, local)
        self.shape(index.at, local)
        literal = index.at.literal if isinstance(index.at, Text) else None
        if literal is not None and isinstance(of, Record):
            return self._property(of, Member(index.of, literal, line=index.line))
        return item_of(of)

    def _object(self, value: Object, local: Local) -> Shape:
        named: dict[str, Field] = {}
        rest: list[Shape] = []
        for entry in value.properties:
            shape = self.shape(entry.value, local)
            if isinstance(entry.key, Expression):
                self.shape(entry.key, local)
                rest.append(shape)
            elif entry.key != SPREAD:
                named[entry.key] = of_shape(shape)
            elif isinstance(shape, Record):
                named |= shape.fields
                rest += [shape.rest] if shape.rest else []
            else:
                rest.append(ANYTHING)
        return Record("object", named, one_of(*rest) if rest else None)

    def _binary(self, binary: Binary, local: Local) -> Shape:
        if binary.operator in _OF_NUMBERS | _OF_TRUTHS:
            expected = NUMBER if binary.operator in _OF_NUMBERS else TRUTH
            for side in (binary.left, binary.right):
                self.expect(side, expected, f"an operand of {binary.operator}", local, "BCP045")
            return expected
        left, right = self.shape(binary.left, local), self.shape(binary.right, local)
        if binary.operator in {"==", "!="}:
            self._compared(binary, without_null(left), without_null(right))
        return one_of(without_null(left), right) if binary.operator == "??" else TRUTH

    def _compared(self, binary: Binary, left: Shape, right: Shape) -> None:
        simple = TextShape | NumberShape | type(TRUTH)
        if isinstance(left, simple) and isinstance(right, simple) and NULL not in (left, right):
            if type(left) is not type(right):
                self.tell(binary.line, "BCP045", f"{left} and {right} are never equal")
            elif not share(left, right):
                self.tell(binary.line, "never", f"{left} and {right} are never equal")

    def _call(self, call: Call, local: Local) -> Shape:
        if not self._calls.known(call, inside=_IN_A_LAMBDA in local, default=_IN_A_DEFAULT in local):
            return FUNCTIONS[call.function][2] if call.function in FUNCTIONS else ANYTHING
        given = [self.shape(item, local) for item in call.arguments if not isinstance(item, Lambda)]
        return self._calls.answer(call, given, lambda function, item: self._lambda(function, item, local))

    def _lambda(self, function: Lambda, item: Shape, local: Local) -> Shape:
        inner = dict.fromkeys(function.names, item)
        return self.shape(function.body, {**local, **inner, _IN_A_LAMBDA: ANYTHING})


_PRINTABLE: Final = one_of(TEXT, NUMBER, TRUTH)


def _lacks(shape: Shape, name: str) -> bool:
    return isinstance(shape, Record) and shape.rest is None and name not in shape.fields


def _short(expression: Expression) -> bool:
    """Check whether an expression contains `.?` and may therefore be null. In a chain, all members after `.?` may be
    null, too.
    """
    return isinstance(expression, Member) and (expression.safe or _short(expression.of))


def _named(expression: Expression) -> str:
    return expression.name if isinstance(expression, Name | Member) else "the value before it"
