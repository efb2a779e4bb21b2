"""Checks the arguments of most calls without Pydantic, because importing Pydantic takes longer than a call.

This module accepts only arguments that Pydantic would return unchanged. Pydantic handles all other arguments: those
that need conversions, models or patterns, and invalid arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from mcp_server.declarations.field import Field, Schema

# Returns whether Pydantic would accept a value unchanged. Pydantic must check all other values.
_Check = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class PlainParameters:
    checks: Mapping[str, _Check]
    required: Collection[str]
    # The default of each parameter, in the order of the parameters. None for required parameters.
    defaults: Mapping[str, Any]

    @classmethod
    def of(cls, parameters: Sequence[inspect.Parameter]) -> PlainParameters:
        required = [one.name for one in parameters if one.default is one.empty]
        defaults = {one.name: None if one.default is one.empty else one.default for one in parameters}
        return cls({one.name: _check_of(one.annotation) for one in parameters}, required, defaults)

    def taken(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments and defaults, as Pydantic would return them. None if Pydantic must check the arguments."""
        taken = dict(self.defaults)
        for name, value in arguments.items():
            check = self.checks.get(name)
            if check is None or not check(value):
                return None
            taken[name] = value.copy() if isinstance(value, list | dict) else value
        return taken if all(name in arguments for name in self.required) else None


def _check_of(annotation: Any) -> _Check:
    if get_origin(annotation) is not Annotated:
        return _check_of_type(annotation)
    kind, *marks = get_args(annotation)
    checks = [_check_of_type(kind), *map(_check_of_mark, marks)]
    return lambda value: all(check(value) for check in checks)


def _check_of_type(kind: Any) -> _Check:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _CHECKS:
        return _CHECKS[kind]
    if origin is Literal and all(type(choice) is str for choice in arguments):
        return lambda value: type(value) is str and value in arguments
    if origin in {Union, UnionType} and _is_unambiguous(arguments):
        checks = list(map(_check_of, arguments))
        return lambda value: any(check(value) for check in checks)
    if origin is list and arguments[0] in _CHECKS:
        return lambda value: type(value) is list and all(map(_CHECKS[arguments[0]], value))
    return _no


def _is_unambiguous(kinds: Sequence[Any]) -> bool:
    """Whether the union contains only one type besides null.

    With several types, it would be unclear whether a string is meant as text, or as the JSON text of another type.
    """
    return len([kind for kind in kinds if kind is not NoneType]) == 1


def _check_of_mark(mark: Any) -> _Check:
    if isinstance(mark, Schema):
        return lambda _value: True
    if not isinstance(mark, Field) or mark.pattern is not None:
        return _no
    return lambda value: _fits(mark, value)


def _fits(mark: Field, value: Any) -> bool:
    if value is None:
        return True
    if type(value) in {str, list, dict}:
        longest = len(value) if mark.max_length is None else mark.max_length
        return (mark.min_length or 0) <= len(value) <= longest
    least = value if mark.ge is None else mark.ge
    most = value if mark.le is None else mark.le
    return bool(least <= value <= most)


def _no(_value: Any) -> bool:
    return False


def _is_text(value: Any) -> bool:
    return type(value) is str and (value.isascii() or _is_encodable(value))


def _is_encodable(text: str) -> bool:
    """Whether Pydantic accepts the string, which must not contain half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_CHECKS: Final[Mapping[Any, _Check]] = {
    str: _is_text,
    bool: lambda value: type(value) is bool,
    int: lambda value: type(value) is int,
    float: lambda value: type(value) is float and isfinite(value),
    NoneType: lambda value: value is None,
    dict[str, Any]: lambda value: type(value) is dict and all(map(_is_text, value)),
}
