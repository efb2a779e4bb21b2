"""No regular expression takes more than its share of time, whatever the text: twice as long, twice the time."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Final

from tests.growing import seconds, texts
from tests.regular_expressions import Expression, expressions

_LENGTHS: Final = (16, 64, 256, 1024, 4096)
# Less is noise.
_ENOUGH: Final = 0.002
# For twice the text, a quadratic expression takes four times as long, and a linear one twice as long. One doubling
# proves nothing: if the engine's stack outgrows the memory that the process has, new memory costs as much as the work.
_SURELY_LESS: Final = 2.5
_MOST: Final = 3.0
# What these read is short: routes of our own, and names of operations.
_OF_SHORT_TEXTS: Final = frozenset({"local_host.routes._PARAMETER", "tools.azure.resource_any.changeable._GIVING"})
# Kept in a table, and tried at one place of a text at a time.
_AT_ONE_PLACE: Final = frozenset(
    {
        "clients.azure.secret_texts._ASSIGNED",
        "clients.azure.secret_texts._HEADER",
        "documents.summarizing.prose._UNDERLINE",
    }
)


def _grows(expression: Expression, make: Callable[[int], str]) -> bool:
    """Whether the time grows faster than the text at two doublings, from the first length where it can be measured."""
    length = next((one for one in _LENGTHS if _taken(expression, make(one)) > _ENOUGH), 0)
    return length > 0 and all(_grows_to(expression, make, one) for one in (length, length // 2))


def _grows_to(expression: Expression, make: Callable[[int], str], length: int) -> bool:
    whole = half = inf
    for _ in range(5):
        whole = min(whole, _taken(expression, make(length)))
        half = min(half, _taken(expression, make(length // 2)))
        if whole < _SURELY_LESS * half:
            return False
    return whole > _MOST * half


def _taken(expression: Expression, text: str) -> float:
    pattern = expression.pattern
    if expression.is_looked_for:
        return seconds(lambda: sum(1 for _ in pattern.finditer(text)))
    return seconds(lambda: (pattern.match(text), pattern.fullmatch(text)))


def _fault(expression: Expression) -> str:
    for make in texts(expression.pattern):
        if _grows(expression, make):
            return f"{expression.where} grows faster than {make(3)!r}…: {expression.pattern.pattern[:200]}"
    return ""


def test_no_regular_expression_takes_more_than_its_share_of_time() -> None:
    found = expressions()
    assert len(found) > 500
    for one in found:
        one.used_by |= {"match"} if one.where in _AT_ONE_PLACE else set()
    assert [fault for one in found if one.where not in _OF_SHORT_TEXTS and (fault := _fault(one))] == []


def test_such_a_growth_is_found() -> None:
    for pattern, used_by in (
        (r"(`++)(.+?)(?<!`)\1(?!`)", "finditer"),
        (r"\s+,", "sub"),
        (r"(a|a)*$", "match"),
        (r"(\w*)x?\w*\.", "match"),
    ):
        assert _fault(Expression(re.compile(pattern), "here", {used_by}))
