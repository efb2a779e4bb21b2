"""Checks whether values match the expected types. Each property of a literal object and each item of a literal array is
checked, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bicep_checker.expressions import (
    SPREAD,
    Array,
    Call,
    Expression,
    If,
    Lambda,
    Loop,
    Name,
    Object,
    Property,
    Sure,
    Ternary,
)
from bicep_checker.findings import ERROR, WARNING, Tell, nearest, proposal
from bicep_checker.inference import Inference, Local
from bicep_checker.shapes import (
    ANYTHING,
    Choice,
    ListOf,
    NumberShape,
    Record,
    Shape,
    TextShape,
    fits,
    may_be_null,
    parts_of,
    without_null,
)
from bicep_checker.shapes import field as known

# Every resource may have these properties. Bicep accepts these properties even if the type definition of the resource
# does not contain them.
_OF_OTHER_RESOURCES: Final = {
    *("extendedLocation", "identity", "kind", "location", "managedBy", "plan", "sku", "tags", "zones"),
}
Place = Literal["resource", "module", "declaration"]
_OF_ONE_KIND: Final = {"filter", "concat", "union", "sort", "take", "skip"}


@dataclass(frozen=True, slots=True)
class Fitting:
    """Compares values with types. Type errors are warnings in resources, as in Bicep, and errors in parameters and
    outputs.
    """

    inference: Inference
    tell: Tell
    place: Place

    @property
    def _level(self) -> str:
        return WARNING if self.place == "resource" else ERROR

    def fit(
        self, value: Expression, expected: Shape, what: str, local: Local, also: frozenset[str] = frozenset()
    ) -> None:
        written = self._written(value, local)
        match written:
            case Object() if isinstance(form := _object_form(expected), Record | Choice):
                self._object(written, form, what, local, also)
            case Array() if isinstance(expected, ListOf):
                for item in written.items:
                    self.fit(item, expected.item, what, local)
                self._count(written, expected, what)
            case Loop() if isinstance(expected, ListOf):
                inner = {**local, **self.inference.of_loop(written, local)}
                self.fit(written.body, expected.item, what, inner)
            case Ternary() | If():
                self._ways(written, expected, what, local)
            case Call(function="map", arguments=(over, Lambda() as function)) if isinstance(expected, ListOf):
                names = self.inference.of_loop(Loop(function.names, over, function.body, line=written.line), local)
                self.fit(function.body, expected.item, what, {**local, **names})
            case Call() if written.function in _OF_ONE_KIND:
                self._parts_of_call(written, expected, what, local)
            case _:
                self._value(value, expected, what, local)

    def _written(self, value: Expression, local: Local) -> Expression:
        """If the value is the name of a variable, return the variable's declared value, which Bicep checks."""
        if isinstance(value, Sure):
            return self._written(value.of, local)
        found = self.inference.template.of_kind("variable").get(value.name) if isinstance(value, Name) else None
        if found is None or found.name in local or not isinstance(found.value, Object | Array | Ternary | Loop | Call):
            return value
        self.inference.shape(value, local)
        return found.value

    def _ways(self, value: Ternary | If, expected: Shape, what: str, local: Local) -> None:
        self.inference.shape(value.condition, local)
        for way in (value.then, value.otherwise) if isinstance(value, Ternary) else (value.body,):
            self.fit(way, expected, what, local)

    def _parts_of_call(self, call: Call, expected: Shape, what: str, local: Local) -> None:
        """Check each argument of a function that combines objects. An argument may omit required properties."""
        if not fits(self.inference.shape(call, local), expected):
            self._value(call, expected, what, local)
            return
        for part in call.arguments:
            if isinstance(part, Object) and isinstance(form := _object_form(expected), Record):
                for entry in part.properties:
                    self._property(entry, form, part, what, local)
            elif isinstance(part, Array | Ternary) and isinstance(expected, ListOf):
                self.fit(part, expected, what, local)

    # Objects

    def _object(self, value: Object, expected: Record | Choice, what: str, local: Local, also: frozenset[str]) -> None:
        form = self._form(value, expected, what, local)
        if form is None:
            return
        seen: set[str] = set(also & value.named.keys())
        for entry in value.properties:
            if isinstance(entry.key, str) and entry.key in seen - also:
                self.tell(entry.line, "BCP025", f"{what} has {entry.key} twice")
            if entry.key not in also:
                seen |= self._property(entry, form, value, what, local)
        for name, wanted in form.fields.items():
            if wanted.required and not wanted.read_only and name not in seen:
                self.tell(value.line, "BCP035", f"{what} needs {name}", self._level)

    def _property(self, entry: Property, form: Record, value: Object, what: str, local: Local) -> set[str]:
        """Check an entry of an object. Return the names of the properties that the entry sets. A spread sets several
        properties.
        """
        if entry.key == SPREAD:
            return self._spread(entry, form, what, local)
        if isinstance(entry.key, Expression):
            self.inference.shape(entry.key, local)
            self.fit(entry.value, form.rest or ANYTHING, what, local)
            return set()
        inner = f"{what}.{entry.key}"
        if entry.key in form.fields:
            if form.fields[entry.key].read_only:
                self.tell(entry.line, "BCP073", f"{inner} is read-only", self._level)
            self.fit(entry.value, form.fields[entry.key].shape, inner, local)
        elif form.rest is not None:
            self.fit(entry.value, form.rest, inner, local)
        else:
            self._unknown(entry.key, entry.line, form, value, what)
            self.inference.shape(entry.value, local)
        return {entry.key}

    def _spread(self, entry: Property, form: Record, what: str, local: Local) -> set[str]:
        written = self._written(entry.value, local)
        if isinstance(written, Object):
            return {name for inner in written.properties for name in self._property(inner, form, written, what, local)}
        shape = self.inference.shape(entry.value, local)
        return set(shape.fields) if isinstance(shape, Record) and shape.rest is None else set(form.fields)

    def _unknown(self, name: str, line: int, form: Record, value: Object, what: str) -> None:
        left = form.fields.keys() - value.named.keys()
        writable = [field for field in left if not form.fields[field].read_only]
        if name in _OF_OTHER_RESOURCES and "apiVersion" in form.fields:
            self.tell(line, "BCP187", f"{what} has no property {name}", WARNING)
        else:
            code = "BCP089" if nearest(name, writable) else "BCP037"
            self.tell(line, code, f"{what} has no property {name}{proposal(name, writable)}", self._level)

    def _form(self, value: Object, expected: Record | Choice, what: str, local: Local) -> Record | None:
        if isinstance(expected, Record):
            return expected
        by = value.named.get(expected.by)
        shape = self.inference.shape(by, local) if by else None
        values = shape.values if isinstance(shape, TextShape) else None
        if by is None or values is None:
            code, text = ("BCP078", "is missing") if by is None else ("BCP225", "is unknown when the deployment starts")
            self.tell(value.line, code, f"{what} depends on {expected.by}, which {text}", WARNING)
            return None
        if wrong := sorted(values - expected.forms.keys()):
            code = "BCP088" if nearest(wrong[0], expected.forms) else "BCP036"
            text = (
                f"{what}.{expected.by} must be one of {', '.join(expected.forms)}{proposal(wrong[0], expected.forms)}"
            )
            self.tell(by.line, code, text, self._level)
            return None
        form = expected.forms[min(values)]
        return Record(form.name, {**form.fields, expected.by: known(TextShape(values))}, form.rest, lenient=True)

    # Single values

    def _value(self, value: Expression, expected: Shape, what: str, local: Local) -> None:
        actual = self.inference.shape(value, local)
        line = value.line
        if not fits(without_null(actual), expected):
            code = "BCP033" if self.place == "declaration" else "BCP036"
            self.tell(line, code, f"{what} must be {expected}, but is {actual}", self._level)
        elif self.place != "resource" and may_be_null(actual) and not may_be_null(expected) and expected != ANYTHING:
            self.tell(line, "BCP321", f"{what} must be {expected}, but may be null", WARNING)
        else:
            for code, text in _outside(actual, expected):
                self.tell(self._line(value), code, f"{what} {text}", self._level)
            for text in _misfits(actual, expected, what, 0):
                self.tell(line, "shape", text)

    def _line(self, value: Expression) -> int:
        """Return the line number of a value. For a variable, this is the line of the value in the declaration."""
        found = self.inference.template.of_kind("variable").get(value.name) if isinstance(value, Name) else None
        return found.value.line if found and found.value and not isinstance(found.value, Name) else value.line

    def _count(self, value: Array, expected: ListOf, what: str) -> None:
        if expected.longest is not None and len(value.items) > expected.longest:
            self.tell(value.line, "BCP332", f"{what} can have at most {expected.longest} items", self._level)
        if len(value.items) < expected.shortest:
            self.tell(value.line, "BCP333", f"{what} must have at least {expected.shortest} items", self._level)


def _object_form(expected: Shape) -> Shape:
    """Return the only object type among several alternatives. If there is none or more than one, return ANYTHING."""
    forms = [part for part in parts_of(expected) if isinstance(part, Record | Choice)]
    return forms[0] if len(forms) == 1 else ANYTHING


def _outside(actual: Shape, expected: Shape) -> Iterator[tuple[str, str]]:
    """Yield violations of ranges, lengths and patterns."""
    if isinstance(actual, NumberShape) and isinstance(expected, NumberShape) and actual.values:
        if expected.most is not None and min(actual.values) > expected.most:
            yield "BCP327", f"must be at most {expected.most}"
        if expected.least is not None and max(actual.values) < expected.least:
            yield "BCP328", f"must be at least {expected.least}"
    if isinstance(actual, TextShape) and isinstance(expected, TextShape) and actual.values:
        yield from _wrong_texts(actual.values, expected)


def _wrong_texts(texts: frozenset[str], expected: TextShape) -> Iterator[tuple[str, str]]:
    if expected.longest is not None and min(map(len, texts)) > expected.longest:
        yield "BCP332", f"can have at most {expected.longest} characters"
    if max(map(len, texts)) < expected.shortest:
        yield "BCP333", f"must have at least {expected.shortest} characters"
    # The patterns have .NET syntax, but use only features that work the same way in Python.
    if expected.pattern and (wrong := sorted(one for one in texts if not re.search(expected.pattern, one))):
        yield "pattern", f"cannot be {wrong[0]!r}: it must match {expected.pattern}"


def _misfits(actual: Shape, expected: Shape, what: str, depth: int) -> Iterator[str]:
    """Yield problems inside computed values. Bicep itself does not check these values."""
    if isinstance(actual, ListOf) and isinstance(expected, ListOf):
        yield from _misfits(actual.item, expected.item, what, depth)
    if not (isinstance(actual, Record) and isinstance(expected, Record)) or depth > 9 or "apiVersion" in actual.fields:
        return
    if actual.rest is not None and expected.rest is not None:
        yield from _misfits(actual.rest, expected.rest, what, depth + 1)
    yield from _wrong_fields(actual, expected, what, depth)


def _wrong_fields(actual: Record, expected: Record, what: str, depth: int) -> Iterator[str]:
    fields: Mapping[str, Shape] = {name: found.shape for name, found in actual.fields.items()}
    for name, shape in fields.items():
        wanted = expected.fields[name].shape if name in expected.fields else expected.rest
        if wanted is None:
            yield f"{what} has no property {name}{proposal(name, expected.fields)}"
        elif not fits(shape, wanted):
            yield f"{what}.{name} must be {wanted}, but is {shape}"
        else:
            yield from _misfits(shape, wanted, f"{what}.{name}", depth + 1)
    if actual.rest is None:
        for name in (name for name, wanted in expected.fields.items() if wanted.required and name not in fields):
            yield f"{what} needs {name}"
