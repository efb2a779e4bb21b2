"""What a summary makes of the rows of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tests.fakes.azure.graph.expressions import Expression, Row
from tests.fakes.azure.graph.values import sorted_by, text_of

_Values = list[Any]


def aggregated(expression: Expression, rows: Sequence[Row]) -> dict[str, Any]:
    """The columns that an aggregate gives; one that takes the row of an extreme gives several."""
    name, arguments = expression.aggregate, expression.arguments
    if name in {"arg_max", "arg_min"}:
        return _extreme(arguments, rows, largest=name == "arg_max")
    if name == "count":
        return {expression.name or "count_": len(rows)}
    if name.endswith("if"):
        rows = [row for row in rows if arguments[-1].compute(row)]
        if name == "countif":
            return {expression.name: len(rows)}
    values = [value for row in rows if (value := arguments[0].compute(row)) is not None]
    return {expression.name: _OVER_VALUES[name.removesuffix("if")](values)}


def _extreme(arguments: Sequence[Expression], rows: Sequence[Row], *, largest: bool) -> dict[str, Any]:
    by = arguments[0]
    found = (max if largest else min)(rows, key=lambda row: sorted_by(by.compute(row)))
    more: dict[str, Any] = {}
    for argument in arguments[1:]:
        more |= dict(found) if argument.name == "*" else {argument.name: argument.compute(found)}
    return {by.name: by.compute(found), **more}


def _distinct(values: _Values) -> _Values:
    return list({text_of(value): value for value in values}.values())


def _merged(values: _Values) -> dict[str, Any]:
    return {name: value for bag in values if isinstance(bag, dict) for name, value in bag.items()}


_OVER_VALUES: Final[Mapping[str, Callable[[_Values], Any]]] = {
    "sum": sum,
    "avg": lambda values: sum(values) / len(values) if values else None,
    "min": lambda values: min(values, key=sorted_by, default=None),
    "max": lambda values: max(values, key=sorted_by, default=None),
    "dcount": lambda values: len(_distinct(values)),
    "make_list": list,
    "make_set": _distinct,
    "make_bag": _merged,
    "any": lambda values: next(iter(values), None),
    "take_any": lambda values: next(iter(values), None),
}
