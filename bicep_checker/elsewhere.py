"""Checks references built from parts of a resource ID: subscription, group and name must come from the same ID."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bicep_checker.known import Id, Scope, Thing, Value, said, ways
from bicep_checker.reached import Place

PlacedProblems = Iterator[tuple[Place, int, str, str]]
_PART: Final = re.compile(r"split\((.+), '/'\)\[(\d+)\]")
_WORDS: Final = {2: "a subscription", 4: "a resource group", 8: "a name"}
# For each function and number of arguments: which segment of a resource ID each argument must come from.
_OF_SCOPES: Final = {("resourceGroup", 2): (2, 4), ("resourceGroup", 1): (4,), ("subscription", 1): (2,)}
_NAME: Final = 8


class Part(NamedTuple):
    """A segment of a resource ID. `of` is the expression of the ID; `at` is the position of the segment."""

    of: str
    at: int


def check(root: Place) -> PlacedProblems:
    for place in root.places():
        for declared, called in place.modules():
            line = declared.line
            for text in _scope(called.scope):
                yield place, line, "id", f"the scope of {declared.name} {text}"
            if place is root:
                yield from (
                    (place, line, "id", text) for text in _found_there(declared.name, called.place, called.scope)
                )
    for name in root.template.of_kind("variable"):
        line = root.template.symbols[name].line
        yield from ((root, line, "id", f"{name} {text}") for text in _ids(root.look(name)))


def _parts(value: Value) -> list[Part]:
    found = (_PART.fullmatch(text) for way in ways(value) for text in str(way).split(" or "))
    return [Part(one[1], int(one[2])) for one in found if one]


def _scope(scope: Value) -> Iterator[str]:
    for way in ways(scope):
        wanted = _OF_SCOPES.get((way.function, len(way.arguments)), ()) if isinstance(way, Scope) else ()
        if wanted:
            yield from _wrong(way.arguments, wanted)


def _ids(value: Value) -> Iterator[str]:
    """Report an id whose subscription, group and name come from different ids."""
    for way in ways(value):
        if isinstance(way, Id) and len(way.place) + len(way.names) == len((2, 4, _NAME)):
            # Values that do not come from an ID, for example names of new resources, are not checked.
            parts = [
                (value, at) for value, at in zip((*way.place, *way.names), (2, 4, _NAME), strict=True) if _parts(value)
            ]
            yield from _wrong([value for value, _ in parts], [at for _, at in parts])


def _wrong(values: Sequence[Value], wanted: Sequence[int]) -> Iterator[str]:
    taken = [_parts(value) for value in values]
    for parts, at in zip(taken, wanted, strict=True):
        for part in parts:
            if part.at != at:
                yield f"takes {_WORDS[at]} from segment {part.at} of {part.of}; use segment {at}"
    sources = [sorted({part.of for part in parts}) for parts in taken]
    if any(one != sources[0] for one in sources):
        yield f"mixes segments of {' and '.join(sorted({of for one in sources for of in one}))}"


def _found_there(module: str, place: Place, scope: Value) -> Iterator[str]:
    """Report modules that take a resource's name from an ID, but look up the resource outside the ID's group."""
    scopes = [way for way in ways(scope) if isinstance(way, Scope)]
    groups = {part.of for way in scopes for argument in way.arguments for part in _parts(argument)}
    for declared in place.template.resources.values():
        found = place.look(declared.name) if declared.existing and not declared.loop else None
        if not isinstance(found, Thing) or found.parent is not None or found.scope is not None:
            continue
        for part in _parts(found.name):
            if part.at != _NAME:
                yield f"{module} takes a name from segment {part.at} of {part.of}; use segment {_NAME}"
            if part.of not in groups:
                where = said(scope) if scopes else "its own group"
                yield f"{module} looks up the {found.kind} of {part.of} in {where}, not in the group of that ID"
