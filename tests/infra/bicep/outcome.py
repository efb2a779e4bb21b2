"""What Azure would make of a template, judged by what its services demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.infra.bicep import endpoints, ids, order, relations, roles, services
from tests.infra.bicep.findings import ERROR, Problem, usual_level
from tests.infra.bicep.reached import Place
from tests.infra.bicep.resource_types import ResourceTypes
from tests.infra.bicep.subject import Files


def problems(main: Path, files: Files, types: ResourceTypes) -> Iterator[Problem]:
    told: list[Problem] = []

    def report(file: str, line: int, code: str, text: str) -> None:
        told.append(Problem(file, line, code, ERROR, text))

    root = Place(files.read[main], files, {}, report)
    everything = list(root.everything())
    made = [(place, thing) for place, thing in everything if not thing.existing]
    things = [thing for _, thing in everything]
    for place, thing in made:
        own = (*services.check(thing, types), *ids.check(thing), *roles.check(thing))
        for line, code, text in (*own, *relations.check(thing, things), *endpoints.check(thing, things)):
            report(place.file, line, code, text)
    for place in root.places():
        for line, code, text in ids.outputs(place):
            report(place.file, line, code, text)
    for place, line, code, text in order.check(root, things):
        told.append(Problem(place.file, line, code, usual_level(code), text))
    yield from told
