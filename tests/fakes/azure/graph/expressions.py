"""Expressions: read from words, and made into what computes them for a row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure.graph.functions import FUNCTIONS
from tests.fakes.azure.graph.reading import Reading
from tests.fakes.azure.graph.values import compared, equal, has, member, moment_of, number_of, span_of, text_of
from tests.fakes.azure.graph.words import Kind, QueryError

Row = dict[str, Any]
Compute = Callable[[Row], Any]
AGGREGATES: Final = frozenset(
    "count countif sum sumif avg min max dcount make_list make_set make_bag any take_any arg_max arg_min".split()
)
_TEXTS: Final[dict[str, Callable[[str, str], bool]]] = {
    "contains": lambda text, part: part.lower() in text.lower(),
    "contains_cs": lambda text, part: part in text,
    "startswith": lambda text, part: text.lower().startswith(part.lower()),
    "startswith_cs": lambda text, part: text.startswith(part),
    "endswith": lambda text, part: text.lower().endswith(part.lower()),
    "endswith_cs": lambda text, part: text.endswith(part),
    "has": has,
    "has_cs": lambda text, part: has(text, part) and part in text,
    "=~": lambda text, part: text.lower() == part.lower(),
}
_LITERALS: Final[dict[Kind, Callable[[str], Any]]] = {
    Kind.TEXT: str,
    Kind.NUMBER: lambda text: int(text) if text.isdecimal() else float(text),
    Kind.SPAN: span_of,
    Kind.MOMENT: moment_of,
}
_CONVERSIONS: Final = {"tostring", "toint", "tolong", "todouble", "toreal", "todatetime", "tobool", "todynamic"}


@dataclass(frozen=True)
class Expression:
    """`name` is what a column gets that has none of its own. An aggregate has its arguments, to go over all rows."""

    compute: Compute
    name: str = ""
    aggregate: str = ""
    arguments: list[Expression] = field(default_factory=list)


@dataclass
class Expressions:
    """Reads expressions over certain columns; in a summary also aggregates."""

    reading: Reading
    columns: set[str]
    constants: dict[str, Any]
    operator: str

    def one(self) -> Expression:
        left = self._both()
        while self.reading.takes("or"):
            left = _either(left, self._both())
        return left

    def _both(self) -> Expression:
        left = self._comparison()
        while self.reading.takes("and"):
            left = _all_of(left, self._comparison())
        return left

    def _comparison(self) -> Expression:
        left = self._sum()
        sign = self.reading.now.text
        if sign in {"<", ">", "<=", ">=", "==", "!=", "<>"}:
            self.reading.step()
            return Expression(_ordering(sign, left.compute, self._sum().compute))
        if sign in {"in", "!in", "has_any", "has_all", "!in~"}:
            self.reading.step()
            ignores_case = sign == "!in~" or self.reading.takes("~") or sign.startswith("has")
            return self._among(left, sign, ignores_case)
        if sign in {"between", "!between"}:
            self.reading.step()
            return self._between(left, is_negated=sign.startswith("!"))
        if sign == "matches":
            self.reading.step()
            self.reading.demand("regex")
            pattern = self._sum().compute
            return Expression(lambda row: bool(re.search(text_of(pattern(row)), text_of(left.compute(row)))))
        if sign.lstrip("!") in _TEXTS or sign == "!~":
            self.reading.step()
            return Expression(_textual(sign, left.compute, self._sum().compute))
        return left

    def _among(self, left: Expression, sign: str, ignores_case: bool) -> Expression:
        self.reading.demand("(")
        values = [one.compute for one in self.listed(")")]
        is_negated = sign.startswith("!")

        def compute(row: Row) -> bool:
            found = left.compute(row)
            wanted = [one for value in values for one in _spread(value(row))]
            if sign in {"has_any", "has_all"}:
                matched = [has(text_of(found), text_of(one)) for one in wanted]
                return any(matched) if sign == "has_any" else all(matched)
            if ignores_case:
                return (text_of(found).lower() in {text_of(one).lower() for one in wanted}) != is_negated
            return any(equal(found, one) for one in wanted) != is_negated

        return Expression(compute)

    def _between(self, left: Expression, *, is_negated: bool) -> Expression:
        self.reading.demand("(")
        low = self._sum().compute
        self.reading.demand("..")
        high = self._sum().compute
        self.reading.demand(")")
        reaches, stays = _ordering(">=", left.compute, low), _ordering("<=", left.compute, high)
        return Expression(lambda row: (reaches(row) and stays(row)) != is_negated)

    def _sum(self) -> Expression:
        left = self._product()
        while self.reading.now.text in {"+", "-"} and self.reading.now.kind is Kind.SIGN:
            left = _computed(self.reading.step().text, left.compute, self._product().compute)
        return left

    def _product(self) -> Expression:
        left = self._single()
        while self.reading.now.text in {"*", "/", "%"} and self.reading.now.kind is Kind.SIGN:
            left = _computed(self.reading.step().text, left.compute, self._single().compute)
        return left

    def _single(self) -> Expression:
        if self.reading.takes("-"):
            inner = self._single().compute
            return Expression(lambda row: -inner(row))
        found = self._first()
        while True:
            if self.reading.takes("."):
                found = _part(found, self.reading.name())
            elif self.reading.takes("["):
                at = self.one()
                self.reading.demand("]")
                found = _indexed(found, at)
            else:
                return found

    def _first(self) -> Expression:
        word = self.reading.step()
        if word.kind in _LITERALS:
            value = _LITERALS[word.kind](word.text)
            return Expression(lambda _: value)
        if word.text == "(":
            inner = self.one()
            self.reading.demand(")")
            return inner
        if word.text == "[" and self.reading.now.kind is Kind.TEXT:
            name = self.reading.step().text
            self.reading.demand("]")
            return self._column(name)
        if word.kind is not Kind.NAME:
            raise self.reading.failure(word)
        return self._call(word.text) if self.reading.takes("(") else self._column(word.text)

    def listed(self, end: str) -> list[Expression]:
        found: list[Expression] = []
        while not self.reading.takes(end):
            if found:
                self.reading.demand(",")
            found.append(self.one())
        return found

    def _call(self, name: str) -> Expression:
        if name == "dynamic":
            return self._literal()
        arguments = self._arguments(name)
        if name in AGGREGATES and self.operator == "summarize":
            inner = arguments[0].name if arguments else ""
            prefix = {"make_list": "list", "make_set": "set", "make_bag": "bag", "take_any": "any"}.get(name, name)
            return Expression(
                lambda _: None, inner if name in {"any", "take_any"} else f"{prefix}_{inner}", name, arguments
            )
        if name not in FUNCTIONS:
            raise QueryError("Default", f"'{self.operator}' operator: Unknown function: '{name}'.")
        function, computes = FUNCTIONS[name], [argument.compute for argument in arguments]
        own = arguments[0].name if name in _CONVERSIONS and arguments else ""
        return Expression(lambda row: function(*(compute(row) for compute in computes)), own)

    def _arguments(self, name: str) -> list[Expression]:
        if name not in {"arg_max", "arg_min"}:
            return self.listed(")")
        found = [self.one()]
        while self.reading.takes(","):
            found.append(Expression(lambda row: row, "*") if self.reading.takes("*") else self.one())
        self.reading.demand(")")
        return found

    def _literal(self) -> Expression:
        """`dynamic(["a", {"b": 1}])`."""
        value = self._json()
        self.reading.demand(")")
        return Expression(lambda _: value)

    def _json(self) -> Any:
        if self.reading.takes("["):
            found = []
            while not self.reading.takes("]"):
                found.append(self._json())
                self.reading.takes(",")
            return found
        if self.reading.takes("{"):
            bag = {}
            while not self.reading.takes("}"):
                name = self.reading.step().text
                self.reading.demand(":")
                bag[name] = self._json()
                self.reading.takes(",")
            return bag
        return self._single().compute({})

    def _column(self, name: str) -> Expression:
        if name in {"true", "false"}:
            return Expression(lambda _: name == "true")
        if name == "null":
            return Expression(lambda _: None)
        if name in self.constants:
            value = self.constants[name]
            return Expression(lambda _: value)
        if name not in self.columns:
            message = f"'{self.operator}' operator: Failed to resolve column or scalar expression named '{name}'"
            raise QueryError("Default", message)
        return Expression(lambda row: row.get(name), name)


def _either(left: Expression, right: Expression) -> Expression:
    return Expression(lambda row: bool(left.compute(row)) or bool(right.compute(row)))


def _all_of(left: Expression, right: Expression) -> Expression:
    return Expression(lambda row: bool(left.compute(row)) and bool(right.compute(row)))


def _part(whole: Expression, name: str) -> Expression:
    return Expression(lambda row: member(whole.compute(row), name), f"{whole.name}_{name}" if whole.name else "")


def _indexed(whole: Expression, at: Expression) -> Expression:
    return Expression(lambda row: member(whole.compute(row), at.compute(row)), whole.name)


def _spread(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _ordering(sign: str, left: Compute, right: Compute) -> Compute:
    if sign in {"==", "!=", "<>"}:
        return lambda row: equal(left(row), right(row)) == (sign == "==")
    wanted = {"<": {-1}, ">": {1}, "<=": {-1, 0}, ">=": {0, 1}}[sign]
    return lambda row: compared(left(row), right(row)) in wanted


def _textual(sign: str, left: Compute, right: Compute) -> Compute:
    test, is_negated = _TEXTS["=~" if sign == "!~" else sign.lstrip("!")], sign.startswith("!")
    return lambda row: test(text_of(left(row)), text_of(right(row))) != is_negated


def _computed(sign: str, left: Compute, right: Compute) -> Expression:
    def compute(row: Row) -> Any:
        one, other = _operand(left(row)), _operand(right(row))
        if one is None or other is None or (sign in "/%" and not other):
            return None
        return {
            "+": lambda: one + other,
            "-": lambda: one - other,
            "*": lambda: one * other,
            "/": lambda: one / other if isinstance(one, float) else one // other,
            "%": lambda: one % other,
        }[sign]()

    return Expression(compute)


def _operand(value: Any) -> Any:
    return number_of(value) if isinstance(value, str) else value
