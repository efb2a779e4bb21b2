"""Finds conditional settings that Azure does not disable when a later deployment omits them."""

from __future__ import annotations

from collections.abc import Iterator

from bicep_checker.known import Thing
from bicep_checker.reached import Place

CODE = "stays-on"
PlacedProblems = Iterator[tuple[Place, int, str, str]]


def check(root: Place) -> PlacedProblems:
    for place in root.places():
        for declared, line in _conditional(place):
            if CODE not in place.template.silenced.get(line, ()):
                text = f"if the condition of {declared} is false, authsettingsV2 stays enabled: disable it explicitly"
                yield place, line, CODE, text


def _conditional(place: Place) -> Iterator[tuple[str, int]]:
    for declared, called in place.modules():
        if declared.conditional and any(map(_lasts, (thing for _, thing in called.place.everything()))):
            yield declared.name, declared.line
    for declared in place.template.resources.values():
        if declared.conditional and any(map(_lasts, place.things(declared))):
            yield declared.name, declared.line


def _lasts(thing: Thing) -> bool:
    named = (thing.kind.lower(), str(thing.name).lower())
    return not thing.existing and named == ("microsoft.web/sites/config", "authsettingsv2")
