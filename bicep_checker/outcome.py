"""Checks whether the resources that a deployment would create meet the requirements of Azure's services."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bicep_checker import elsewhere, endpoints, ids, lasting, late_failures, order, relations, roles, services
from bicep_checker.findings import ERROR, Problem, usual_level
from bicep_checker.known import Thing
from bicep_checker.reached import Place
from bicep_checker.resource_types import ResourceTypes
from bicep_checker.subject import Files


def problems(main: Path, files: Files, types: ResourceTypes) -> Iterator[Problem]:
    told: list[Problem] = []

    def report(file: str, line: int, code: str, text: str) -> None:
        told.append(Problem(file, line, code, ERROR, text))

    root = Place(files.read[main], files, {}, report)
    everything = list(root.everything())
    things = [thing for _, thing in everything]
    for place, thing in everything:
        for line, code, text in _of(thing, things, types):
            report(place.file, line, code, text)
    for place in root.places():
        for line, code, text in ids.outputs(place):
            report(place.file, line, code, text)
    for place, line, code, text in elsewhere.check(root):
        report(place.file, line, code, text)
    for place, line, code, text in (*order.check(root, things), *lasting.check(root)):
        told.append(Problem(place.file, line, code, usual_level(code), text))
    yield from told


def _of(thing: Thing, things: Sequence[Thing], types: ResourceTypes) -> Iterator[tuple[int, str, str]]:
    if thing.existing:
        yield from endpoints.named(thing)
        return
    yield from services.check(thing, types)
    yield from ids.check(thing)
    yield from late_failures.check(thing)
    yield from roles.check(thing)
    yield from relations.check(thing, things)
    yield from endpoints.check(thing, things)
