"""Filters as tables know them: comparisons with `and`, `or`, `not` and parentheses."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.fakes.azure.stored.asked import StorageError

Matches = Callable[[Mapping[str, Any]], bool]

_TOKEN: Final = re.compile(r"\s*(datetime'[^']*'|guid'[^']*'|'(?:[^']|'')*'|-?\d+(?:\.\d+)?L?|\w+|[()])")
_COMPARE: Final = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}


def matches(text: str) -> Matches:
    """What tells whether an entity is meant.

    Raises:
        StorageError: It is no filter.
    """
    if not text.strip():
        return lambda _: True
    tokens = _tokens(text)
    found = _any(tokens)
    if tokens:
        raise _invalid()
    return found


def _tokens(text: str) -> list[str]:
    found, place = [], 0
    while place < len(text.rstrip()):
        token = _TOKEN.match(text, place)
        if not token:
            raise _invalid()
        found.append(token[1])
        place = token.end()
    return found[::-1]


def _any(tokens: list[str]) -> Matches:
    left = _all(tokens)
    while tokens and tokens[-1] == "or":
        tokens.pop()
        left = _either(left, _all(tokens))
    return left


def _all(tokens: list[str]) -> Matches:
    left = _one(tokens)
    while tokens and tokens[-1] == "and":
        tokens.pop()
        left = _both(left, _one(tokens))
    return left


def _one(tokens: list[str]) -> Matches:
    token = _next(tokens)
    if token == "not":  # noqa: S105 - a word of the language
        inner = _one(tokens)
        return lambda entity: not inner(entity)
    if token == "(":  # noqa: S105
        inner = _any(tokens)
        if _next(tokens) != ")":
            raise _invalid()
        return inner
    compare = _COMPARE.get(_next(tokens))
    if compare is None:
        raise _invalid()
    return _comparison(token, compare, _value(_next(tokens)))


def _comparison(name: str, compare: Callable[[Any, Any], bool], value: Any) -> Matches:
    def holds(entity: Mapping[str, Any]) -> bool:
        return name in entity and isinstance(entity[name], type(value)) and compare(entity[name], value)

    return holds


def _either(left: Matches, right: Matches) -> Matches:
    return lambda entity: left(entity) or right(entity)


def _both(left: Matches, right: Matches) -> Matches:
    return lambda entity: left(entity) and right(entity)


def _value(token: str) -> Any:
    if token in {"true", "false"}:
        return token == "true"  # noqa: S105
    if found := re.fullmatch(r"(?:datetime|guid)?'(.*)'", token, re.DOTALL):
        return found[1].replace("''", "'")
    if re.fullmatch(r"-?\d+L?", token):
        return int(token.rstrip("L"))
    if re.fullmatch(r"-?\d+\.\d+", token):
        return float(token)
    raise _invalid()


def _next(tokens: list[str]) -> str:
    if not tokens:
        raise _invalid()
    return tokens.pop()


def _invalid() -> StorageError:
    return StorageError(400, "InvalidInput", "The query condition specified in the request is invalid.")
