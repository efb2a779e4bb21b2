"""Finds values that a service would reject although the compiler accepts them.

Values are checked against lists of usual values, against patterns, and against the requirements in services.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeGuard

import yaml

from bicep_checker.findings import proposal
from bicep_checker.known import Either, Fields, Mixed, Thing, Unknown, Value, example, said
from bicep_checker.resource_types import ResourceTypes
from bicep_checker.shapes import Choice, ListOf, NumberShape, Record, Shape, TextShape, parts_of
from bicep_checker.walking import Found, at

_DEMANDS: Final = Path(__file__).parent / "services.yaml"
_GUID: Final = re.compile(r"guid\(|newGuid\(|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_UNKNOWN: Final = "is neither in a published type nor in services.yaml"
_OF_BICEP: Final = {"parent", "scope", "dependsOn"}
Problems = Iterator[tuple[int, str, str]]


@cache
def demands() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Return the requirements in services.yaml, by lowercase resource type and path."""
    content = yaml.load(_DEMANDS.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return {kind.lower(): paths for kind, paths in content.items()}


def check(thing: Thing, types: ResourceTypes) -> Problems:
    found = types.get(thing.kind, thing.version)
    if thing.existing:
        return
    of_kind = demands().get(thing.kind.lower(), {})
    for path, line, text in _against(thing.body, found.body, "", thing.line) if found else ():
        if text != _UNKNOWN or not any(f"{known}.".startswith(f"{path}.") for known in of_kind):
            yield line, "value", f"{thing.kind}.{path} {text}"
    for path, demand in of_kind.items():
        for given in at(thing, path):
            one = given._replace(value=example(given.value))
            for text in _demanded(one, demand, thing):
                yield one.line, "service", f"{thing.kind}.{path} {text}"


def _against(value: Value, shape: Shape, path: str, line: int) -> Iterator[tuple[str, int, str]]:
    """Yield the path, line and message of each type violation in a value."""
    if isinstance(value, Either | list):
        item = shape.item if isinstance(shape, ListOf) else shape
        inner, name = (value.ways, path) if isinstance(value, Either) else (value, f"{path}[]")
        for one in inner:
            yield from _against(one, shape if isinstance(value, Either) else item, name, line)
    elif isinstance(value, dict):
        if form := _form(value, shape):
            for key, one in value.items():
                yield from _entry(key, one, form, f"{path}.{key}".strip("."), _line(value, key, line))
    else:
        yield from ((path, line, text) for text in _typed(example(value), shape))


def _entry(key: str, value: Value, form: Record, path: str, line: int) -> Iterator[tuple[str, int, str]]:
    shape = form.fields[key].shape if key in form.fields else form.rest
    if shape is not None:
        yield from _against(value, shape, path, line)
    elif key not in _OF_BICEP:
        yield path, line, _UNKNOWN


def _form(value: Mapping[str, Value], shape: Shape) -> Record | None:
    forms = [part for part in parts_of(shape) if isinstance(part, Record | Choice)]
    if len(forms) != 1:
        return None
    form = forms[0]
    return form.forms.get(str(value.get(form.by))) if isinstance(form, Choice) else form


def _line(value: Mapping[str, Value], key: str, line: int) -> int:
    return value.lines.get(key, line) if isinstance(value, Fields) else line


def _typed(value: Value, shape: Shape) -> Iterator[str]:
    """Yield a message for each rule that a scalar violates: allowed or usual values, pattern, length, or range."""
    if isinstance(value, str) and isinstance(shape, TextShape):
        yield from _typed_text(value, shape)
    elif _is_number(value) and isinstance(shape, NumberShape) and not _between(value, shape.least, shape.most):
        yield f"must be {shape.least} to {shape.most}, but is {value}"


def _typed_text(value: str, shape: TextShape) -> Iterator[str]:
    among = shape.values or shape.known
    if among and value not in among and not _other_spelling(value, shape):
        yield f"must be one of {', '.join(sorted(among))}, but is {value!r}{proposal(value, among)}"
    # The patterns use .NET syntax, but only features that work the same in Python.
    if shape.pattern and value and not re.search(shape.pattern, value):
        yield f"must match {shape.pattern}, but is {value!r}"
    if value and not _between(len(value), shape.shortest, shape.longest):
        yield f"must have {shape.shortest} to {shape.longest} characters, but is {value!r}"


def _is_number(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _between(value: int, least: int | None, most: int | None) -> bool:
    return (least is None or least <= value) and (most is None or value <= most)


def _other_spelling(value: str, shape: TextShape) -> bool:
    """Check whether a value differs from a usual value only in letter case. Most services accept such values.

    An empty text means that the property is not set.
    """
    return shape.values is None and (not value or value.lower() in {known.lower() for known in shape.known})


def _demanded(found: Found, demand: Mapping[str, Any], thing: Thing) -> Iterator[str]:
    if not found.given:
        if demand.get("needed"):
            yield "is required"
        return
    value = found.value
    if "never" in demand:
        yield f"is for {demand['never']}"
    if "only" in demand:
        yield from _listed(value, demand["only"], sure=demand.get("sure", False))
    if "from" in demand and _is_number(value) and not _between(value, demand["from"], demand.get("to")):
        yield f"must be {demand['from']} to {demand.get('to', 'any number')}, but is {value}"
    yield from _formed(value, demand)
    if "same" in demand and said(value) != said(example(thing.body.get(demand["same"]))):
        yield f"must be the {demand['same']}, but is {said(value)}"


def _formed(value: Value, demand: Mapping[str, Any]) -> Iterator[str]:
    if "like" in demand and _tells(value, demand["like"]) and not re.search(demand["like"], str(value)):
        yield f"must match {demand['like']}, but is {str(value)!r}"
    if demand.get("guid") and not _GUID.match(str(value)):
        yield f"must be a GUID, but is {value}"


def _listed(value: Value, among: list[Any], *, sure: bool) -> Iterator[str]:
    listed = " or ".join(map(str, among))
    if isinstance(value, str | int) and value != "" and said(value) not in map(said, among):
        hint = proposal(value, [one for one in among if isinstance(one, str)]) if isinstance(value, str) else ""
        yield f"must be {listed}, but is {value!r}{hint}"
    if sure and isinstance(value, Unknown | Mixed):
        yield f"must be {listed}, but is omitted and defaults to {value}"


def _tells(value: Value, pattern: str) -> bool:
    """Check whether the known part of a text is sufficient for comparing the text with a pattern.

    If only the start of the text is known, a pattern that covers the end of the text cannot be compared.
    """
    if isinstance(value, str):
        return value != ""
    return isinstance(value, Mixed) and isinstance(value.parts[0], str) and not pattern.endswith("$")
