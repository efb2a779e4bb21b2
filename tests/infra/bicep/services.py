"""What the services refuse and no compiler sees: values by the types' open lists and patterns, and by services.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeGuard

import yaml

from tests.infra.bicep.findings import proposal
from tests.infra.bicep.known import Mixed, Thing, Unknown, Value, example, said
from tests.infra.bicep.resource_types import ResourceTypes
from tests.infra.bicep.shapes import Choice, ListOf, NumberShape, Record, Shape, TextShape, parts_of
from tests.infra.bicep.walking import Found, at, values

_DEMANDS: Final = Path(__file__).parent / "services.yaml"
_GUID: Final = re.compile(r"guid\(|newGuid\(|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
Told = Iterator[tuple[int, str, str]]


@cache
def demands() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """By resource type in lower case, and path."""
    content = yaml.load(_DEMANDS.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return {kind.lower(): paths for kind, paths in content.items()}


def check(thing: Thing, types: ResourceTypes) -> Told:
    found = types.get(thing.kind, thing.version)
    if thing.existing:
        return
    for path, given in values(thing):
        one = given._replace(value=example(given.value))
        shape = _shape_at(found.body, path, thing) if found else None
        for text in _typed(one.value, shape) if shape else ():
            yield one.line, "value", f"{thing.kind}.{path} {text}"
    for path, demand in demands().get(thing.kind.lower(), {}).items():
        for given in at(thing, path):
            one = given._replace(value=example(given.value))
            for text in _demanded(one, demand, thing):
                yield one.line, "service", f"{thing.kind}.{path} {text}"


def _shape_at(shape: Shape, path: str, thing: Thing) -> Shape | None:
    """The type of what is at a path, where there is but one."""
    for step in path.replace("[]", ".[]").split("."):
        shapes = [part for part in parts_of(shape) if isinstance(part, Record | Choice | ListOf)]
        inner = _step(shapes[0], step, thing) if len(shapes) == 1 else None
        if inner is None:
            return None
        shape = inner
    return shape


def _step(shape: Shape, step: str, thing: Thing) -> Shape | None:
    match shape:
        case ListOf():
            return shape.item if step == "[]" else None
        case Choice():
            by = thing.body.get(shape.by)
            return _step(shape.forms[by], step, thing) if isinstance(by, str) and by in shape.forms else None
        case Record():
            return shape.fields[step].shape if step in shape.fields else shape.rest
        case _:
            return None


def _typed(value: Value, shape: Shape) -> Iterator[str]:
    """What a single value breaks: lists, open ones too, patterns, lengths, numbers."""
    if isinstance(value, str) and isinstance(shape, TextShape):
        yield from _typed_text(value, shape)
    elif _is_number(value) and isinstance(shape, NumberShape) and not _between(value, shape.least, shape.most):
        yield f"must be {shape.least} to {shape.most}, and is {value}"


def _typed_text(value: str, shape: TextShape) -> Iterator[str]:
    among = shape.values or shape.known
    if among and value not in among and not _other_spelling(value, shape):
        yield f"must be one of {', '.join(sorted(among))}, and is {value!r}{proposal(value, among)}"
    # The libraries' patterns are those of .NET, which are the same as far as they are used there.
    if shape.pattern and value and not re.search(shape.pattern, value):
        yield f"must match {shape.pattern}, and is {value!r}"
    if value and not _between(len(value), shape.shortest, shape.longest):
        yield f"must have {shape.shortest} to {shape.longest} letters, and is {value!r}"


def _is_number(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _between(value: int, least: int | None, most: int | None) -> bool:
    return (least is None or least <= value) and (most is None or value <= most)


def _other_spelling(value: str, shape: TextShape) -> bool:
    """An open list is compared without regard to case by most services; an empty text means that nothing is set."""
    return shape.values is None and (not value or value.lower() in {known.lower() for known in shape.known})


def _demanded(found: Found, demand: Mapping[str, Any], thing: Thing) -> Iterator[str]:
    if not found.given:
        if demand.get("needed"):
            yield "is needed"
        return
    value = found.value
    if "only" in demand:
        yield from _listed(value, demand["only"], sure=demand.get("sure", False))
    if "from" in demand and _is_number(value) and not _between(value, demand["from"], demand.get("to")):
        yield f"must be {demand['from']} to {demand.get('to', 'any number')}, and is {value}"
    if "like" in demand and _tells(value, demand["like"]) and not re.search(demand["like"], str(value)):
        yield f"must match {demand['like']}, and is {str(value)!r}"
    if demand.get("guid") and not _GUID.match(str(value)):
        yield f"must be a GUID, and is {value}"
    if "same" in demand and said(value) != said(example(thing.body.get(demand["same"]))):
        yield f"must be the {demand['same']}, and is {said(value)}"


def _listed(value: Value, among: list[Any], *, sure: bool) -> Iterator[str]:
    listed = " or ".join(map(str, among))
    if isinstance(value, str | int) and value != "" and said(value) not in map(said, among):
        hint = proposal(value, [one for one in among if isinstance(one, str)]) if isinstance(value, str) else ""
        yield f"must be {listed}, and is {value!r}{hint}"
    if sure and isinstance(value, Unknown | Mixed):
        yield f"must be {listed}, and is left to {value}"


def _tells(value: Value, pattern: str) -> bool:
    """Whether enough of a text is known; of one that is known in parts, that it begins as it must."""
    if isinstance(value, str):
        return value != ""
    return isinstance(value, Mixed) and isinstance(value.parts[0], str) and not pattern.endswith("$")
