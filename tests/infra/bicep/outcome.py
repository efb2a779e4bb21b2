"""What Azure would make of a template, judged by what its services demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.infra.bicep import order, relations, services
from tests.infra.bicep.findings import ERROR, Problem, usual_level
from tests.infra.bicep.reached import Place
from tests.infra.bicep.resource_types import ResourceTypes
from tests.infra.bicep.subject import Files


def problems(main: Path, files: Files, types: ResourceTypes) -> Iterator[Problem]:
    told: list[Problem] = []

    def report(file: str, line: int, code: str, text: str) -> None:
        told.append(Problem(file, line, code, ERROR, text))

    root = Place(files.read[main], files, {}, report)
    for place, thing in root.everything():
        for line, code, text in (*services.check(thing, types), *relations.check(thing)):
            report(place.file, line, code, text)
    for place, line, code, text in order.check(root):
        told.append(Problem(place.file, line, code, usual_level(code), text))
    yield from told
