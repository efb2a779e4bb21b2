"""The part of WIQL that our queries use, read strictly: whatever else a query says is a syntax error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.fakes.azure_devops.routes import Json, TroubleError

_TOKEN = re.compile(r"\s+|'(?:[^']|'')*'|@\w+|\[[\w.]+\]|[(),=]|<>|\w+")
_FIELD, _LITERAL = re.compile(r"\[([\w.]+)\]"), re.compile(r"'((?:[^']|'')*)'")

Test = Callable[[Json], bool]


def matching(query: str, items: Iterable[Json], me: str) -> list[Json]:
    """The items that a query finds in its order, and the last id first where that says nothing.

    Raises:
        TroubleError: The query cannot be read.
    """
    tokens = _tokens(query)
    words = [token.upper() for token in tokens]
    if words[:1] != ["SELECT"] or "WORKITEMS" not in words:
        raise _wrong(query)
    start = words.index("WHERE") + 1 if "WHERE" in words else len(words)
    end = words.index("ORDER") if "ORDER" in words else len(words)
    test = _Conditions(tokens[start:end], me, query).all() if start < end else _everything
    found = sorted((item for item in items if test(item)), key=lambda item: -item["id"])
    return _ordered(found, tokens[end + 2 :])


def _ordered(items: list[Json], by: list[str]) -> list[Json]:
    if not by:
        return items
    name = by[0].strip("[]")
    ranked = [item for item in items if name in item["fields"]]
    ranked.sort(key=lambda item: item["fields"][name], reverse=by[-1].upper() == "DESC")
    return ranked + [item for item in items if name not in item["fields"]]


def _everything(_: Json) -> bool:
    return True


def _tokens(query: str) -> list[str]:
    tokens, place = [], 0
    while place < len(query):
        found = _TOKEN.match(query, place)
        if not found:
            raise _wrong(query)
        tokens.append(found[0])
        place = found.end()
    return [token for token in tokens if token.strip()]


def _wrong(query: str) -> TroubleError:
    return TroubleError(400, "QueryException", f"TF51006: The query statement is not valid: {query}")


class _Conditions:
    def __init__(self, tokens: list[str], me: str, query: str) -> None:
        self._tokens, self._me, self._query = tokens, me, query

    def all(self) -> Test:
        test = self._either()
        if self._tokens:
            raise _wrong(self._query)
        return test

    def _either(self) -> Test:
        tests = [self._both()]
        while self._next_is("OR"):
            tests.append(self._both())
        return lambda item: any(test(item) for test in tests)

    def _both(self) -> Test:
        tests = [self._condition()]
        while self._next_is("AND"):
            tests.append(self._condition())
        return lambda item: all(test(item) for test in tests)

    def _condition(self) -> Test:
        if self._next_is("("):
            test = self._either()
            self._expect(")")
            return test
        name = self._taken(_FIELD)
        match self._tokens.pop(0).upper() if self._tokens else "":
            case "=":
                value = self._value()
                return lambda item: _text(item, name) == value.lower()
            case "IN":
                values = self._values()
                return lambda item: _text(item, name) in values
            case "NOT":
                self._expect("IN")
                unwanted = self._values()
                return lambda item: _text(item, name) not in unwanted
            case "UNDER":
                path = self._value().lower()
                return lambda item: f"{_text(item, name)}\\".startswith(f"{path}\\")
            case "CONTAINS":
                part = self._value().lower()
                return lambda item: part in _text(item, name)
        raise _wrong(self._query)

    def _values(self) -> set[str]:
        self._expect("(")
        values = {self._value().lower()}
        while self._next_is(","):
            values.add(self._value().lower())
        self._expect(")")
        return values

    def _value(self) -> str:
        return self._me if self._next_is("@ME") else self._taken(_LITERAL).replace("''", "'")

    def _taken(self, form: re.Pattern[str]) -> str:
        found = form.fullmatch(self._tokens.pop(0)) if self._tokens else None
        if not found:
            raise _wrong(self._query)
        return found[1]

    def _next_is(self, token: str) -> bool:
        if self._tokens and self._tokens[0].upper() == token:
            self._tokens.pop(0)
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._next_is(token):
            raise _wrong(self._query)


def _text(item: Json, name: str) -> str:
    value: Any = item["fields"].get(name, "")
    return str(value.get("displayName") if isinstance(value, dict) else value).lower()
