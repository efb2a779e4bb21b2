"""Checks the origin of values. A secret must come from a secure parameter, and a part of an ID must come from the
right segment. Values must not depend on the current time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bicep_checker.expressions import Call, Expression, Index, Name, Number, Object, Property, Text
from bicep_checker.functions import EACH_TIME
from bicep_checker.subject import Subject
from bicep_checker.template import Declaration, names_in

# Properties that contain secrets. Everyone who knows such a secret has access.
_SECRET: Final = {
    *("accessKey", "adminPassword", "certificateData", "clientSecret", "connectionString", "key", "password"),
    *("pfxBlob", "primaryKey", "secret", "serviceUri", "sharedKey"),
}
# The positions of segments that are the same in all resource IDs of a type. In
# /subscriptions/2/resourceGroups/4/providers/6/7/8, all segments except 2, 4 and 8 are fixed.
_WORDS_OF_AN_ID: Final = {0, 1, 3, 5, 6, 7, 9, 11}
_IDS: Final = ("id", "ids")
_HOLE: Final = re.compile(r"[$#%]?[({]{1,2}(\w+)(?:\.[\w.]+)?[)}]")
_OUTSIDE_SUBSCRIPTIONS: Final = {"managementGroup", "tenant"}


def check(subject: Subject) -> None:
    for rule in (_secrets, _parts_of_ids, _clock, _roles_of_subscriptions, _holes):
        for line, code, text in rule(subject):
            subject.tell(line, code, text)


Found = Iterator[tuple[int, str, str]]


def _secrets(subject: Subject) -> Found:
    parameters = subject.template.of_kind("parameter")
    for entry, found in _properties(subject):
        for line, name in names_in(found.value) if found.key in _SECRET else ():
            parameter = parameters.get(name)
            if parameter and not parameter.decorated("secure"):
                yield line, "secret", f"{entry.name}.{found.key} is a secret: the parameter {name} needs @secure()"
    for entry in subject.declarations("module"):
        yield from _handed_on(subject, entry)


def _handed_on(subject: Subject, entry: Declaration) -> Found:
    """Report parameters without @secure() whose value is passed to an @secure() parameter of a module."""
    inner = subject.module(entry)
    params = entry.body.named.get("params") if entry.body else None
    wanted = inner.of_kind("parameter") if inner else {}
    parameters = subject.template.of_kind("parameter")
    for name, value in params.named.items() if isinstance(params, Object) else ():
        if name in wanted and wanted[name].decorated("secure"):
            for line, used in names_in(value):
                if used in parameters and not parameters[used].decorated("secure"):
                    yield line, "secret", f"{entry.name}.{name} is a secret: the parameter {used} needs @secure()"


def _parts_of_ids(subject: Subject) -> Found:
    for found in _expressions(subject):
        if isinstance(found, Index) and _is_split_id(found.of) and (part := _word_of_an_id(found.at)) is not None:
            text = f"segment {part} of an id is a keyword: 2 is the subscription, 4 the group, 8 the name"
            yield found.line, "id", text


def _word_of_an_id(at: Expression) -> int | None:
    return at.value if isinstance(at, Number) and at.value in _WORDS_OF_AN_ID else None


def _is_split_id(value: Expression) -> bool:
    if not (isinstance(value, Call) and value.function == "split" and len(value.arguments) == 2):
        return False
    of, at = value.arguments
    named = of.name.lower() if isinstance(of, Name) else ""
    return isinstance(at, Text) and at.literal == "/" and named.endswith(_IDS)


def _clock(subject: Subject) -> Found:
    """Report values that change with each deployment. Such values would modify or break existing resources."""
    used = {found.name for found in _expressions(subject) if isinstance(found, Name)}
    for parameter in subject.declarations("parameter"):
        parts = parameter.value.everything() if parameter.value else ()
        each_time = any(isinstance(part, Call) and part.function in EACH_TIME for part in parts)
        if each_time and parameter.name in used:
            yield parameter.line, "each-time", f"{parameter.name} changes with each deployment"


def _roles_of_subscriptions(subject: Subject) -> Found:
    if subject.template.target in _OUTSIDE_SUBSCRIPTIONS:
        for found in _expressions(subject):
            if isinstance(found, Call) and found.function in {"resourceId", "subscriptionResourceId"}:
                text = f"{found.function} needs a subscription, but a {subject.template.target} has none"
                yield found.line, "scope", text


def _holes(subject: Subject) -> Found:
    """Report texts such as `$(name)` that look like interpolations, but are not."""
    for found in _expressions(subject):
        for name in _HOLE.findall(found.literal or "") if isinstance(found, Text) else ():
            if name in subject.template.symbols:
                yield found.line, "text", f"{name} is not interpolated: write ${{{name}}}"


def _expressions(subject: Subject) -> Iterator[Expression]:
    for declaration in subject.template.declarations:
        if declaration.kind != "parameter":
            yield from subject.template.expressions(declaration)


def _properties(subject: Subject) -> Iterator[tuple[Declaration, Property]]:
    for entry in subject.template.of_kind("resource").values():
        for value in subject.template.expressions(entry):
            if isinstance(value, Object):
                yield from ((entry, found) for found in value.properties)
