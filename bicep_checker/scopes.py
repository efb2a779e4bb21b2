"""Checks the deployment scopes of files, resources and modules."""

from __future__ import annotations

from typing import Final

from bicep_checker.expressions import Call, Expression, Index, Member, Name, Object, Sure, Ternary, Text
from bicep_checker.resource_types import EXTENSION, SCOPES, ResourceType
from bicep_checker.subject import Subject, full_type
from bicep_checker.template import Declaration

_ON_EXTENSION: Final = "extension"
_DEEPEST: Final = 5  # another check reports cycles
_RESOURCE_GROUP: Final = "Microsoft.Resources/resourceGroups"


def check(subject: Subject) -> None:
    if subject.template.target not in SCOPES:
        subject.tell(1, "BCP033", f"unknown target scope {subject.template.target!r}")
        return
    for entry in subject.declarations("resource"):
        if (found := subject.type_of(entry)) and entry.body:
            _resource(subject, entry, entry.body, found)
    for entry in subject.declarations("module"):
        _module(subject, entry)


def _resource(subject: Subject, entry: Declaration, body: Object, found: ResourceType) -> None:
    _segments(subject, entry, body, found)
    _parent(subject, entry, body)
    if entry.parent or "parent" in body.named:
        return
    scope = body.named.get("scope")
    if scope is None:
        _without_scope(subject, entry, found)
    else:
        _with_scope(subject, entry, found, scope)


def _without_scope(subject: Subject, entry: Declaration, found: ResourceType) -> None:
    where = subject.template.target
    if not found.scopes & SCOPES[where]:
        needs = "needs a scope" if found.scopes == EXTENSION else f"cannot be deployed to a {where}"
        subject.tell(entry.line, "BCP135", f"{found.name} {needs}")


def _with_scope(subject: Subject, entry: Declaration, found: ResourceType, scope: Expression) -> None:
    kind = _kind(subject, scope)
    if kind == _ON_EXTENSION and not found.scopes & EXTENSION:
        subject.tell(scope.line, "BCP135", f"{found.name} cannot extend another resource")
    elif kind in SCOPES and not found.scopes & SCOPES[kind]:
        subject.tell(scope.line, "BCP135", f"{found.name} cannot be deployed to a {kind}")
    elif not entry.existing and _elsewhere(subject, scope):
        text = f"{entry.name} has a different scope than this file, so it must be in a module"
        subject.tell(scope.line, "BCP139", text)


def _parent(subject: Subject, entry: Declaration, body: Object) -> None:
    """Report a child resource if its type does not start with the parent's type."""
    parent = _declared(subject, body.named["parent"]) if "parent" in body.named else None
    wanted = full_type(subject.template, entry)[0].rpartition("/")[0]
    if parent and parent.kind == "resource" and full_type(subject.template, parent)[0].lower() != wanted.lower():
        subject.tell(body.named["parent"].line, "BCP036", f"the parent of {entry.name} must be a {wanted}")


def _elsewhere(subject: Subject, scope: Expression, depth: int = 0) -> bool:
    """Check whether a scope differs from the scope of the file."""
    kind = _kind(subject, scope)
    if kind == _ON_EXTENSION:
        declared = _declared(subject, scope)
        inner = declared.body.named.get("scope") if declared and declared.body else None
        return inner is not None and depth < _DEEPEST and _elsewhere(subject, inner, depth + 1)
    if isinstance(scope, Call):
        return kind != subject.template.target or bool(scope.arguments)
    return kind in SCOPES and kind != subject.template.target


def _segments(subject: Subject, entry: Declaration, body: Object, found: ResourceType) -> None:
    """Report names with the wrong number of segments. With a parent, a name has one segment. Otherwise, it has one
    segment for each part of the type after the namespace.
    """
    name = body.named.get("name")
    if not isinstance(name, Text) or found.name.startswith("Microsoft.Graph/"):
        return
    slashes = sum(part.count("/") for part in name.parts if isinstance(part, str))
    inside = bool(entry.parent or "parent" in body.named)
    wanted = 0 if inside else full_type(subject.template, entry)[0].count("/") - 1
    known = name.literal is not None
    if inside and slashes:
        subject.tell(name.line, "BCP170", f"the name of {entry.name} must not contain the names of its parents")
    elif not inside and (slashes > wanted or (slashes < wanted and (known or slashes == 0))):
        subject.tell(name.line, "BCP169", f"{found.name} needs a parent, or a name with {wanted + 1} segments")


def _module(subject: Subject, entry: Declaration) -> None:
    inner, scope = subject.module(entry), entry.body.named.get("scope") if entry.body else None
    if inner is None:
        return
    if scope is None:
        if inner.target != subject.template.target:
            subject.tell(entry.line, "BCP035", f"{entry.name} needs a scope")
            subject.tell(entry.line, "BCP134", f"{entry.name} is deployed to a {inner.target}, so it needs a scope")
        return
    kind = _kind(subject, scope)
    if isinstance(scope, Name) and not kind:
        subject.tell(scope.line, "BCP036", f"the scope of {entry.name} must be a {inner.target}, not {scope.name}")
    if kind != inner.target and kind:
        subject.tell(scope.line, "BCP134", f"{entry.name} is deployed to a {inner.target}, not to a {kind}")


def _kind(subject: Subject, scope: Expression) -> str:
    """Return the kind of a scope, or an empty text if the scope is unknown."""
    match scope:
        case Call():
            return scope.function if scope.function in SCOPES else ""
        case Ternary():
            return _kind(subject, scope.then)
        case Name() | Member() | Index() | Sure():
            declared = _declared(subject, scope)
            if declared is None or declared.kind != "resource":
                return ""
            is_group = full_type(subject.template, declared)[0].lower() == _RESOURCE_GROUP.lower()
            return "resourceGroup" if is_group else _ON_EXTENSION
        case _:
            return ""


def _declared(subject: Subject, scope: Expression) -> Declaration | None:
    match scope:
        case Name() | Member(nested=True):
            return subject.template.symbols.get(scope.name)
        case Index() | Sure():
            return _declared(subject, scope.of)
        case _:
            return None
