"""Constraints in route parameters, such as `int` or `length(2,4)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Constraint = Callable[[str], bool]

_INT32, _INT64 = 2**31, 2**63


class UnknownConstraintError(ValueError):
    """The constraint is unknown to this host or has invalid arguments."""


def constraint(text: str) -> Constraint:
    """Parse a constraint. Raise UnknownConstraintError if the name or the arguments are invalid."""
    name, _, arguments = text.removesuffix(")").partition("(")
    name = name.lower()
    try:
        if name == "regex":
            return _regex(arguments)
        return _NUMERIC[name](*map(int, arguments.split(","))) if arguments else _PLAIN[name]
    except KeyError:
        known = ", ".join(sorted([*_PLAIN, *_NUMERIC, "regex"]))
        raise UnknownConstraintError(f"unknown constraint {text!r}. Valid: {known}") from None
    except (TypeError, ValueError, re.error) as error:
        raise UnknownConstraintError(f"the constraint {text!r} cannot be read: {error}") from None


def _regex(pattern: str) -> Constraint:
    expression = re.compile(pattern, re.IGNORECASE)
    return lambda value: expression.search(value) is not None


def _shaped(pattern: str) -> Constraint:
    expression = re.compile(pattern, re.IGNORECASE | re.ASCII)
    return lambda value: expression.fullmatch(value) is not None


def _whole_number(low: int, high: int) -> Constraint:
    # The number of digits is limited, because Python refuses to parse integers with thousands of digits.
    is_number = _shaped(r"[+-]?\d{1,40}")
    return lambda value: is_number(value) and low <= int(value) <= high


def _length(low: int, high: int | None = None) -> Constraint:
    return lambda value: low <= len(value) <= (low if high is None else high)


_PLAIN: Mapping[str, Constraint] = {
    "alpha": _shaped(r"[a-z]*"),
    "bool": _shaped(r"true|false"),
    "decimal": _shaped(r"[+-]?(\d+\.?\d*|\.\d+)"),
    "double": _shaped(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"),
    "float": _shaped(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"),
    "guid": _shaped(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "int": _whole_number(-_INT32, _INT32 - 1),
    "long": _whole_number(-_INT64, _INT64 - 1),
    "required": bool,
}

_NUMERIC: Mapping[str, Callable[..., Constraint]] = {
    "length": _length,
    "max": lambda high: _whole_number(-_INT64, high),
    "maxlength": lambda high: _length(0, high),
    "min": lambda low: _whole_number(low, _INT64 - 1),
    "minlength": lambda low: lambda value: len(value) >= low,
    "range": _whole_number,
}
