"""Finds values that Azure needs at the start of a deployment, but that become known only later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bicep_checker.expressions import Call, Expression, If, Index, Member, Name, Object, Sure
from bicep_checker.subject import Subject
from bicep_checker.template import Declaration

_OF_A_MODULE: Final = ("name", "scope")
_OF_A_RESOURCE: Final = ("name", "scope", "parent")
_READS: Final = {"reference", "listKeys", "listSecrets", "list"}


def check(subject: Subject) -> None:
    for entry in subject.declarations("resource", "module"):
        if entry.body:
            _names(subject, entry, entry.body)
            _only_one(subject, entry, entry.body)
        _how_many(subject, entry)
    for entry in subject.declarations("variable"):
        if entry.loop:
            for line, text in _late(subject, entry.loop.over):
                subject.tell(line, "BCP182", f"the number of {entry.name} {text}")


def _names(subject: Subject, entry: Declaration, body: Object) -> None:
    for name in _OF_A_MODULE if entry.kind == "module" else _OF_A_RESOURCE:
        value = body.named.get(name)
        for line, text in _late(subject, value) if value else ():
            subject.tell(line, "BCP120", f"the {name} of {entry.name} {text}")


def _how_many(subject: Subject, entry: Declaration) -> None:
    inner = entry.loop.body if entry.loop else entry.value
    if entry.loop:
        for line, text in _late(subject, entry.loop.over):
            subject.tell(line, "BCP178", f"the number of {entry.name} {text}")
    if isinstance(inner, If):
        for line, text in _late(subject, inner.condition):
            subject.tell(line, "BCP177", f"the condition of {entry.name} {text}")


def _only_one(subject: Subject, entry: Declaration, body: Object) -> None:
    """Report loops that give all their resources the same name."""
    if entry.loop is None or entry.existing or entry.value is None:
        return
    places = [body.named[name] for name in _OF_A_RESOURCE if name in body.named]
    item, *index = entry.loop.names
    named = {found.name for place in places for found in place.everything() if isinstance(found, Name)}
    if not named & {item, *index}:
        subject.tell(entry.line, "BCP179", f"all resources of the loop {entry.name} have the same name")


def _late(subject: Subject, value: Expression) -> Iterator[tuple[int, str]]:
    """Yield the line and a description of each subexpression whose value becomes known only during the deployment."""
    for found in _outermost(value):
        if isinstance(found, Call) and found.function in _READS:
            yield found.line, f"is unknown when the deployment starts: {found.function} calls the service"
        elif isinstance(found, Member) and (name := _asked(subject, found)):
            yield found.line, f"is unknown when the deployment starts, because {name}.{found.name} is unknown"
        elif isinstance(found, Name) and _late_variable(subject, found.name):
            yield found.line, f"is unknown when the deployment starts, because {found.name} is unknown"


def _late_variable(subject: Subject, name: str) -> bool:
    found = subject.template.of_kind("variable").get(name)
    return bool(found and found.value and next(_late(subject, found.value), None))


def _outermost(value: Expression) -> Iterator[Expression]:
    yield value
    for part in value.inner():
        if not (isinstance(value, Member) and value.nested):
            yield from _outermost(part)


def _asked(subject: Subject, member: Member) -> str:
    """If the value of this member is unknown before deployment, return the name of its resource or module."""
    if member.nested:
        return ""
    of = member.of
    while isinstance(of, Index | Sure):
        of = of.of
    name = of.name if isinstance(of, Name) or (isinstance(of, Member) and of.nested) else ""
    declared = subject.template.symbols.get(name)
    if declared is None or declared.kind not in {"resource", "module"}:
        return ""
    if declared.kind == "module":
        return "" if member.name == "name" else name
    found = subject.type_of(declared)
    field = found.everywhere.get(member.name) if found else None
    return "" if member.name in {"id", "name", "type", "apiVersion"} or (field and field.constant) else name
