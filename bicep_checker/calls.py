"""Checks the arguments of function calls, and infers their return types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bicep_checker.expressions import Call, Lambda, Text
from bicep_checker.findings import Tell, nearest, proposal
from bicep_checker.functions import EACH_TIME, FUNCTIONS, OF_A_SCOPE, READ_A_FILE, TAKEN
from bicep_checker.shapes import (
    ANYTHING,
    ARRAY,
    NULL,
    OBJECT,
    TEXT,
    Anything,
    Field,
    ListOf,
    OneOf,
    Record,
    Shape,
    TextShape,
    fits,
    of_json,
    one_of,
    parts_of,
    record,
)

OfLambda = Callable[[Lambda, Shape], Shape]
_TRIMMED: Final[Mapping[str, Callable[[str], str]]] = {
    "toLower": str.lower,
    "toUpper": str.upper,
    "trim": str.strip,
}


@dataclass(frozen=True, slots=True)
class Calls:
    """Checks the function calls in a template. `target` is the scope to which the template is deployed."""

    folder: Path
    target: str
    tell: Tell

    def known(self, call: Call, *, inside: bool, default: bool) -> bool:
        """Check whether the called function exists and the call has a valid number of arguments. `inside` is true for
        calls in a lambda; `default` is true for calls in the default value of a parameter.
        """
        if call.function not in FUNCTIONS:
            code = "BCP070" if inside else "BCP082" if nearest(call.function, FUNCTIONS) else "BCP057"
            self.tell(call.line, code, f"function {call.function} does not exist{proposal(call.function, FUNCTIONS)}")
            return False
        if call.function in EACH_TIME and not default:
            self.tell(call.line, "BCP065", f"{call.function} can be used only in the default value of a parameter")
        return self._enough(call)

    def _enough(self, call: Call) -> bool:
        least, most, _ = FUNCTIONS[call.function]
        if self.target not in OF_A_SCOPE.get(call.function, {self.target}):
            least = 1
        if least <= len(call.arguments) <= most:
            return True
        text = f"{call.function} takes {least} to {most} arguments here, but got {len(call.arguments)}"
        self.tell(call.line, "BCP071", text)
        return False

    def answer(self, call: Call, given: Sequence[Shape], of_lambda: OfLambda) -> Shape:
        """Return the type of a call's result. `given` contains the types of all arguments that are not lambdas."""
        if call.function in READ_A_FILE:
            return self._file(call)
        self._check_arguments(call, given)
        bodies = self._bodies(call, given, of_lambda)
        return _answer(call.function, given, bodies, FUNCTIONS[call.function][2])

    def _check_arguments(self, call: Call, given: Sequence[Shape]) -> None:
        function = call.function
        for place, (actual, expected) in enumerate(zip(given, TAKEN.get(function, ()), strict=False), 1):
            if not fits(actual, expected) and function not in {"map", "filter"}:
                text = f"argument {place} of {function} must be {expected}, but is {actual}"
                self.tell(call.line, "BCP070", text)
        if function == "concat" and not all(fits(shape, one_of(TEXT, ARRAY)) for shape in given):
            self.tell(call.line, "BCP048", "concat takes only arrays or only strings")
        if function in {"union", "concat"} and len({_kind(shape) for shape in given} - {""}) > 1:
            self.tell(call.line, "BCP048", f"{function} requires arguments of the same kind, but got several kinds")
        if function == "split" and isinstance(call.arguments[0], Text) and not isinstance(call.arguments[1], Text):
            self.tell(call.line, "never", "split takes the text first, and then the separator")

    def _bodies(self, call: Call, given: Sequence[Shape], of_lambda: OfLambda) -> list[Shape]:
        functions = [argument for argument in call.arguments if isinstance(argument, Lambda)]
        if functions and given and not fits(given[0], ARRAY) and call.function != "mapValues":
            self.tell(call.line, "BCP070", f"{call.function} takes an array, but got {given[0]}")
        item = item_of(given[0]) if given and call.function != "mapValues" else ANYTHING
        return [of_lambda(function, item) for function in functions]

    def _file(self, call: Call) -> Shape:
        argument = call.arguments[0]
        name = argument.literal if isinstance(argument, Text) else None
        path = self.folder / name if name else None
        if path is None:
            self.tell(call.line, "BCP032", f"{call.function} takes a literal file name")
        elif not path.is_file():
            self.tell(call.line, "BCP091", f"file {name} does not exist")
        elif call.function == "loadJsonContent":
            return self._json(call, path)
        return FUNCTIONS[call.function][2]

    def _json(self, call: Call, path: Path) -> Shape:
        try:
            return of_json(json.loads(path.read_text(encoding="utf-8")))
        except ValueError:
            self.tell(call.line, "BCP186", f"{path.name} is not valid JSON")
            return ANYTHING


def _kind(shape: Shape) -> str:
    """Return the kind of a type: array, string or object. Functions such as concat require arguments of
    the same kind.
    """
    kinds = {type(part).__name__ for part in parts_of(shape) if part != NULL}
    return kinds.pop() if len(kinds) == 1 and ANYTHING not in parts_of(shape) else ""


def item_of(shape: Shape) -> Shape:
    """Return the item type of an array type."""
    if isinstance(shape, OneOf):
        return one_of(*(item_of(part) for part in shape.shapes if part != NULL))
    return shape.item if isinstance(shape, ListOf) else ANYTHING


def _answer(function: str, given: Sequence[Shape], bodies: Sequence[Shape], otherwise: Shape) -> Shape:
    first = given[0] if given else ANYTHING
    match function, first:
        case ("filter" | "sort" | "take" | "skip", _):
            answer = TEXT if isinstance(first, TextShape) else first
        case ("first" | "last", ListOf()):
            answer = first.item
        case ("map", _) if bodies:
            answer = ListOf(bodies[0])
        case ("items", _):
            answer = ListOf(record("entry", {"key": TEXT, "value": _values(first)}))
        case ("toObject", _) if bodies:
            answer = record("object", {}, bodies[1] if len(bodies) > 1 else item_of(first))
        case ("toLower" | "toUpper" | "trim", TextShape(values=frozenset() as values)):
            answer = TextShape(frozenset(map(_TRIMMED[function], values)))
        case ("union" | "concat", _):
            answer = _merged(given)
        case _:
            answer = otherwise
    return answer


def _values(shape: Shape) -> Shape:
    if not isinstance(shape, Record):
        return ANYTHING
    return one_of(*(entry.shape for entry in shape.fields.values()), *([shape.rest] if shape.rest else []))


def _merged(given: Sequence[Shape]) -> Shape:
    if all(isinstance(part, ListOf) for shape in given for part in parts_of(shape)):
        return ListOf(one_of(*(item for item in map(item_of, given) if item != ANYTHING or len(given) == 1)))
    if all(isinstance(part, TextShape) for shape in given for part in parts_of(shape)):
        return TEXT
    if not all(isinstance(shape, Record | OneOf | Anything) for shape in given):
        return OBJECT if any(isinstance(shape, Record) for shape in given) else ANYTHING
    fields: dict[str, Field] = {}
    for shape in given:
        if isinstance(shape, Record):
            fields |= shape.fields
    closed = all(isinstance(shape, Record) and shape.rest is None for shape in given)
    return Record("object", fields, None if closed else ANYTHING)
