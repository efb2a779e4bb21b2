"""Checks that each name that is used has one declaration, and that the declarations contain no cycles."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from bicep_checker.expressions import Lambda, Loop
from bicep_checker.functions import DECORATORS
from bicep_checker.subject import Subject
from bicep_checker.template import Declaration, names_in


def check(subject: Subject) -> bool:
    """Check all names. Return whether all names can be resolved, which the other checks require."""
    _once(subject)
    _extensions(subject)
    circle = _circles(subject)
    _missing_modules(subject)
    _decorators(subject)
    alone = not any(problem.code in {"BCP028", "BCP079"} for problem in subject.told)
    return alone and all(subject.template.symbols[name].kind in {"resource", "module"} for name in circle)


def _decorators(subject: Subject) -> None:
    for entry in subject.declarations("parameter", "variable", "resource", "module", "output"):
        for decorator in entry.decorators:
            if decorator.function not in DECORATORS:
                subject.tell(entry.line, "BCP057", f"decorator {decorator.function} does not exist")


def _once(subject: Subject) -> None:
    seen: dict[str, set[str]] = {"output": set(), "": set()}
    for entry in subject.declarations("parameter", "variable", "resource", "module", "output"):
        names = seen["output" if entry.kind == "output" else ""]
        if entry.name in names:
            subject.tell(entry.line, "BCP028", f"{entry.name} is declared twice")
        names.add(entry.name)


def _extensions(subject: Subject) -> None:
    folders = subject.template.path.parents
    config = next((found for folder in folders if (found := folder / "bicepconfig.json").is_file()), None)
    known = json.loads(config.read_text(encoding="utf-8")).get("extensions", {}) if config else {}
    for name in subject.template.extensions:
        if name not in known:
            subject.tell(1, "BCP204", f"bicepconfig.json does not list the extension {name}")


def _circles(subject: Subject) -> set[str]:
    symbols = subject.template.symbols
    _report_own(subject)
    needs = {
        entry.name: {name for _, name in subject.template.names(entry)} - {entry.name} for entry in symbols.values()
    }
    settled: set[str] = set()
    while ready := {name for name in needs if name not in settled and not (needs[name] & needs.keys()) - settled}:
        settled |= ready
    circle = _on_the_way_back(needs, needs.keys() - settled)
    _report_circle(subject, circle)
    _invalid(subject, circle)
    return circle


def _report_own(subject: Subject) -> None:
    """Report declarations that refer to themselves."""
    for entry in subject.template.symbols.values():
        for line, name in names_in(entry.value) if entry.value else ():
            if name == entry.name and name not in _local(entry):
                subject.tell(line, "BCP079", f"{name} refers to itself")


def _report_circle(subject: Subject, circle: Collection[str]) -> None:
    """Report declarations that depend on themselves through other declarations."""
    for name in sorted(circle):
        for line, other in subject.template.names(subject.template.symbols[name]):
            if other in circle and other != name:
                subject.tell(line, "BCP080", f"{name} depends on itself")


def _local(entry: Declaration) -> set[str]:
    """Return the names that loops and lambdas in a declaration define."""
    parts = entry.value.everything() if entry.value else ()
    return {name for part in parts if isinstance(part, Loop | Lambda) for name in part.names}


def _on_the_way_back(needs: Mapping[str, set[str]], unsettled: set[str]) -> set[str]:
    """Return the names that are part of a cycle, without names that only lead to a cycle."""
    found = set(unsettled)
    while outer := {name for name in found if not any(name in needs[other] for other in found)}:
        found -= outer
    return found


def _missing_modules(subject: Subject) -> None:
    missing = {entry.name for entry in subject.template.of_kind("module").values() if subject.module(entry) is None}
    for name in sorted(missing):
        entry = subject.template.symbols[name]
        subject.tell(entry.line, "BCP091", f"file {entry.reference} does not exist")
    _invalid(subject, missing)


def _invalid(subject: Subject, names: set[str]) -> None:
    """Report uses of names whose declaration is invalid."""
    for entry in subject.declarations("variable", "resource", "module", "output"):
        if names and entry.name not in names:
            for line, name in subject.template.names(entry):
                if name in names:
                    subject.tell(line, "BCP062", f"the declaration of {name} is invalid")
