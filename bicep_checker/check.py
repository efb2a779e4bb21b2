"""Checks a template and all modules that it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bicep_checker import guards, linter, moments, names, outcome, roles, scopes, sources
from bicep_checker.expressions import SPREAD, Object
from bicep_checker.findings import Problem, proposal
from bicep_checker.fitting import Fitting
from bicep_checker.inference import DEFAULT, Local
from bicep_checker.resource_types import ResourceTypes
from bicep_checker.shapes import ANYTHING, ARRAY, NUMBER, OBJECT, TEXT, Field, ListOf, Record, fits, one_of
from bicep_checker.subject import Files, Subject, full_type
from bicep_checker.template import Declaration, Template, required

_OF_EVERY_RESOURCE: Final = frozenset({"parent", "scope", "dependsOn"})
# Each decorator, with the types of the parameters that can have it.
_DECORATED: Final = {
    "maxLength": one_of(TEXT, ARRAY),
    "maxValue": NUMBER,
    "minLength": one_of(TEXT, ARRAY),
    "minValue": NUMBER,
    "secure": one_of(TEXT, OBJECT),
}
_OF_A_NUMBER: Final = {"maxLength", "maxValue", "minLength", "minValue"}
_OF_EXISTING: Final = {"name", "uniqueName", "appId", *_OF_EVERY_RESOURCE}


def check(main: Path, types: ResourceTypes) -> list[Problem]:
    """Return the problems in a template and its modules."""
    main = main.resolve()
    files = Files.of(main)
    subjects = [Subject(template, files, types) for template in files.read.values()]
    _check_each(subjects)
    told = {problem for subject in subjects for problem in subject.told}
    if not any(problem.code.startswith("BCP") for problem in told):  # compiler errors prevent evaluation
        told |= set(outcome.problems(main, files, types))
    return sorted(told)


def _check_each(subjects: Sequence[Subject]) -> None:
    """Check each file on its own. If a file has syntax errors, report only the syntax errors."""
    flaws = [(subject, flaw) for subject in subjects for flaw in subject.template.flaws]
    for subject, (line, code, text) in flaws:
        subject.tell(line, code, text)
    for subject in subjects if not flaws else ():
        for part in _PARTS if names.check(subject) else ():
            part(subject)


def _declarations(subject: Subject) -> None:
    for entry in subject.declarations("parameter", "variable", "resource", "module", "output"):
        match entry.kind:
            case "parameter":
                _parameter(subject, entry)
            case "resource":
                _resource(subject, entry)
            case "module":
                _module(subject, entry)
            case "output" if entry.value:
                fitting = Fitting(subject.inference, subject.tell, "declaration")
                fitting.fit(entry.value, entry.shape, f"the output {entry.name}", {})
            case "variable" if entry.value:
                subject.inference.shape(entry.value, {})


def _parameter(subject: Subject, entry: Declaration) -> None:
    if entry.shape == ANYTHING:
        subject.tell(entry.line, "unread", f"these checks do not support the type of the parameter {entry.name}")
    for decorator in entry.decorators:
        taken = _DECORATED.get(decorator.function)
        if taken and not fits(entry.shape, taken):
            text = f"{decorator.function} is for {taken}, but {entry.name} is {entry.shape}"
            subject.tell(entry.line, "BCP124", text)
        for given in decorator.arguments if decorator.function in _OF_A_NUMBER else ():
            subject.inference.expect(given, NUMBER, f"the argument of {decorator.function}", {}, "BCP070")
    if entry.value:
        fitting = Fitting(subject.inference, subject.tell, "declaration")
        fitting.fit(entry.value, entry.shape, f"the default of {entry.name}", DEFAULT)


def _resource(subject: Subject, entry: Declaration) -> None:
    kind, version = full_type(subject.template, entry)
    local = subject.locals(entry)
    found = subject.types.get(kind, version)
    if found is None:
        _no_type(subject, entry, kind, version)
    if entry.conditional and entry.value:
        subject.inference.shape(entry.value, {}) if not entry.loop else None
    if entry.body is None:
        subject.tell(entry.line, "BCP018", f"{entry.name} has no body")
    elif entry.existing:
        _existing(subject, entry.body, local)
    elif found:
        Fitting(subject.inference, subject.tell, "resource").fit(
            entry.body, found.body, kind, local, _OF_EVERY_RESOURCE
        )
    if entry.body:
        _own_properties(subject, entry.body, local)


def _no_type(subject: Subject, entry: Declaration, kind: str, version: str) -> None:
    versions = subject.types.versions(kind)
    if not version:
        subject.tell(entry.line, "BCP029", f"{entry.name} has no API version")
    elif version in versions:
        newest = subject.types.newest_stable(kind)
        subject.tell(
            entry.line, "version", f"{kind}@{version} is not in the type files; the newest version there is {newest}"
        )
    elif versions:
        text = f"resource type {kind}@{version} does not exist{proposal(version, versions)}"
        subject.tell(entry.line, "BCP081", f"{text}; the newest stable version is {subject.types.newest_stable(kind)}")
    else:
        text = f"resource type {kind}@{version} does not exist{proposal(kind, subject.types.names)}"
        subject.tell(entry.line, "BCP081", text)


def _existing(subject: Subject, body: Object, local: Local) -> None:
    for entry in body.properties:
        subject.inference.shape(entry.value, local)
        if entry.key not in _OF_EXISTING:
            subject.tell(entry.line, "BCP173", f"an existing resource cannot have {entry.key}")
    if not body.named.keys() & (_OF_EXISTING - _OF_EVERY_RESOURCE):
        subject.tell(body.line, "BCP035", "an existing resource needs a name")


def _own_properties(subject: Subject, body: Object, local: Local) -> None:
    for name, value in body.named.items():
        if name in {"parent", "scope"}:
            subject.inference.expect(value, OBJECT, name, local, "BCP036")
        elif name == "dependsOn":
            subject.inference.expect(value, ListOf(one_of(OBJECT, ARRAY)), name, local, "BCP034")


def _module(subject: Subject, entry: Declaration) -> None:
    inner, body, local = subject.module(entry), entry.body, subject.locals(entry)
    if entry.conditional and entry.value and not entry.loop:
        subject.inference.shape(entry.value, {})
    if inner is None or body is None:
        return
    params = body.named.get("params")
    for found in params.properties if isinstance(params, Object) else ():
        if found.key == SPREAD:
            subject.tell(found.line, "BCP401", f"the parameters of {entry.name} cannot contain a spread")
    expected = _of_module(entry, inner, given=params is not None)
    Fitting(subject.inference, subject.tell, "module").fit(body, expected, entry.name, local, frozenset({"dependsOn"}))
    _own_properties(subject, body, local)


def _of_module(entry: Declaration, inner: Template, *, given: bool) -> Record:
    """Return the parameters of a module as an object type."""
    wanted = {name: _field(found) for name, found in inner.of_kind("parameter").items()}
    params = Record(f"the parameters of {entry.name}", wanted)
    needed = any(found.required for found in wanted.values())
    return Record(
        entry.name,
        {
            "name": Field(lambda: TEXT),
            "scope": Field(lambda: ANYTHING),
            "params": Field(lambda: params, required=needed and not given),
        },
    )


def _field(parameter: Declaration) -> Field:
    return Field(lambda: parameter.shape, required(parameter))


_PARTS: Final[tuple[Callable[[Subject], None], ...]] = (
    scopes.check,
    moments.check,
    _declarations,
    guards.check,
    roles.names,
    sources.check,
    linter.check,
)
