"""Checks that expressions use a conditional resource only where the condition of the resource is true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeGuard

from bicep_checker.expressions import (
    Binary,
    Expression,
    If,
    Index,
    Member,
    Name,
    Number,
    Sure,
    Ternary,
    Text,
    Truth,
    Unary,
)
from bicep_checker.subject import Subject
from bicep_checker.template import Declaration

# Conditions whose value is known: pairs of the condition's text and its value.
Holds = frozenset[tuple[str, bool]]
_NOTHING: Final[Holds] = frozenset()
_TELLING: Final = ("name", "function", "operator")
_ORDER: Final = {"dependsOn", "parent", "scope"}


def check(subject: Subject) -> None:
    for entry in subject.declarations("variable", "resource", "module", "output"):
        value = entry.value
        if value is None:
            continue
        for found, holds in _reached(subject, value, _NOTHING):
            if name := _missing(subject, found, holds):
                text = f"{name} does not exist if its condition is false: check the condition, or use .? and ??"
                subject.tell(found.line, "condition", text)


def _reached(subject: Subject, value: Expression, holds: Holds) -> Iterator[tuple[Expression, Holds]]:
    """Yield each subexpression, together with the conditions under which it is evaluated: conditions that must be true,
    and conditions that must be false.
    """
    yield value, holds
    match value:
        case Ternary():
            yield from _reached(subject, value.condition, holds)
            yield from _reached(subject, value.then, holds | _said(subject, value.condition, holds=True))
            yield from _reached(subject, value.otherwise, holds | _said(subject, value.condition, holds=False))
        case If():
            yield from _reached(subject, value.condition, holds)
            yield from _reached(subject, value.body, holds | _said(subject, value.condition, holds=True))
        case Binary(operator="&&" | "||"):
            yield from _reached(subject, value.left, holds)
            yield from _reached(subject, value.right, holds | _said(subject, value.left, holds=value.operator == "&&"))
        case _:
            for part in _parts(value):
                yield from _reached(subject, part, holds)


def _parts(value: Expression) -> Iterator[Expression]:
    named = getattr(value, "properties", None)
    if named is None:
        yield from value.inner()
    else:
        yield from (entry.value for entry in named if entry.key not in _ORDER)


def _missing(subject: Subject, found: Expression, holds: Holds) -> str:
    """Return the resource or module that this expression accesses, if the resource or module might not exist."""
    inner = found.of if isinstance(found, Sure) or _asks_for_id(found) else None
    while isinstance(inner, Index | Sure):
        inner = inner.of
    declared = subject.template.symbols.get(inner.name) if isinstance(inner, Name) else None
    if declared is None or declared.kind not in {"resource", "module"}:
        return ""
    if declared.existing and not isinstance(found, Sure):
        return ""
    return declared.name if not _condition(subject, declared) <= holds else ""


def _asks_for_id(found: Expression) -> TypeGuard[Member]:
    return isinstance(found, Member) and found.name == "id" and not found.nested and not found.safe


def _condition(subject: Subject, declared: Declaration) -> Holds:
    inner = declared.loop.body if declared.loop else declared.value
    return _said(subject, inner.condition, holds=True) if isinstance(inner, If) else _NOTHING


def _said(subject: Subject, condition: Expression, *, holds: bool) -> Holds:
    """Assume that this condition has the value `holds`, and return all conditions whose values are then known."""
    condition = _looked_up(subject, condition)
    if isinstance(condition, Unary) and condition.operator == "!":
        return _said(subject, condition.of, holds=not holds)
    if isinstance(condition, Unary):
        return _said(subject, condition.of, holds=holds)
    whole = frozenset([(_text(subject, condition), holds)])
    if isinstance(condition, Binary) and condition.operator == ("&&" if holds else "||"):
        return whole | _said(subject, condition.left, holds=holds) | _said(subject, condition.right, holds=holds)
    return whole


def _looked_up(subject: Subject, value: Expression) -> Expression:
    found = subject.template.of_kind("variable").get(value.name) if isinstance(value, Name) else None
    return _looked_up(subject, found.value) if found and found.value else value


def _text(subject: Subject, value: Expression) -> str:
    """Return a text that is the same for equal expressions."""
    value = _looked_up(subject, value)
    inside = ", ".join(_text(subject, part) for part in value.inner())
    match value:
        case Text() if value.literal is not None:
            word = repr(value.literal)
        case Number() | Truth():
            word = str(value.value)
        case _:
            word = type(value).__name__ + "".join(str(getattr(value, name, "")) for name in _TELLING)
    return f"{word}({inside})"
