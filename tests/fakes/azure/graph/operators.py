"""Operators between pipes: each takes a table and gives one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure.graph.aggregates import aggregated
from tests.fakes.azure.graph.expressions import Compute, Expression, Expressions, Row
from tests.fakes.azure.graph.reading import Reading
from tests.fakes.azure.graph.values import sorted_by, text_of
from tests.fakes.azure.graph.words import Kind, QueryError


@dataclass
class Table:
    columns: list[str]
    rows: list[Row]
    # Whether it was cut, so that its pages would not be those of the whole.
    is_limited: bool = False


Source = Callable[[str], Table]
_KINDS: Final = {"innerunique", "inner", "leftouter", "rightouter", "fullouter", "leftanti", "leftsemi"}


@dataclass
class Query:
    """Reads a query and runs it as it goes, since a table's columns say what may come next."""

    reading: Reading
    source: Source
    constants: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def run(cls, text: str, source: Source) -> Table:
        query = cls(Reading(text), source)
        query._read_constants()
        table = query.table()
        query.reading.takes(";")
        if not query.reading.is_over:
            raise query.reading.failure(query.reading.now)
        return table

    def _read_constants(self) -> None:
        while self.reading.takes("let"):
            name = self.reading.name()
            self.reading.demand("=")
            self.constants[name] = Expressions(self.reading, set(), self.constants, "let").one().compute({})
            self.reading.demand(";")

    def table(self) -> Table:
        if self.reading.takes("("):
            table = self.table()
            self.reading.demand(")")
        else:
            table = self.source(self.reading.name())
        while self.reading.takes("|"):
            table = self._operate(table)
        return table

    def _operate(self, table: Table) -> Table:
        word = self.reading.operator()
        if word.text not in _OPERATORS:
            raise self.reading.failure(word)
        return _OPERATORS[word.text](self, table)

    def _over(self, table: Table, operator: str) -> Expressions:
        return Expressions(self.reading, set(table.columns), self.constants, operator)

    # One by one

    def where(self, table: Table) -> Table:
        test = self._over(table, "where").one().compute
        return Table(table.columns, [row for row in table.rows if test(row)], table.is_limited)

    def project(self, table: Table) -> Table:
        columns = list(self._named(table, "project"))
        return _computed(columns, table, kept=[])

    def extend(self, table: Table) -> Table:
        columns = list(self._named(table, "extend"))
        return _computed(columns, table, kept=table.columns)

    def _named(self, table: Table, operator: str) -> Iterator[tuple[str, Expression]]:
        """`name = expression`, or an expression that names its column."""
        over, count = self._over(table, operator), 0
        while not count or self.reading.takes(","):
            count += 1
            name, found = self._assigned(over)
            yield name or found.name or f"Column{count}", found
            over.columns.add(name)

    def _assigned(self, over: Expressions) -> tuple[str, Expression]:
        words, at = self.reading.words, self.reading.at
        if words[at].kind is Kind.NAME and words[at + 1].text == "=" and words[at + 1].kind is Kind.SIGN:
            name = self.reading.name()
            self.reading.step()
            return name, over.one()
        return "", over.one()

    def away(self, table: Table) -> Table:
        unwanted = set(self._names(table, "project-away"))
        return _with_columns(table, [name for name in table.columns if name not in unwanted])

    def keep(self, table: Table) -> Table:
        wanted = set(self._names(table, "project-keep"))
        return _with_columns(table, [name for name in table.columns if name in wanted])

    def reorder(self, table: Table) -> Table:
        first = list(self._names(table, "project-reorder"))
        return _with_columns(table, [*first, *(name for name in table.columns if name not in first)])

    def _names(self, table: Table, operator: str) -> Iterator[str]:
        while True:
            name = self.reading.name()
            if self.reading.takes("*"):
                yield from (one for one in table.columns if one.startswith(name))
            elif name not in table.columns:
                message = f"'{operator}' operator: Failed to resolve column or scalar expression named '{name}'"
                raise QueryError("Default", message)
            else:
                yield name
            if not self.reading.takes(","):
                return

    def rename(self, table: Table) -> Table:
        renamed = {found.name: name for name, found in self._named(table, "project-rename")}
        columns = [renamed.get(name, name) for name in table.columns]
        rows = [{renamed.get(name, name): value for name, value in row.items()} for row in table.rows]
        return Table(columns, rows, table.is_limited)

    def expand(self, table: Table) -> Table:
        """Every one of a list in a row of its own; what is none stays one row."""
        columns = list(self._named(table, "mv-expand"))
        if self.reading.takes("to"):
            self.reading.demand("typeof")
            self.reading.demand("(")
            self.reading.step()
            self.reading.demand(")")
        if self.reading.takes("limit"):
            self.reading.step()
        rows = table.rows
        for name, found in columns:
            rows = [{**row, name: one} for row in rows for one in _elements(found.compute(row))]
        return Table([*table.columns, *(name for name, _ in columns if name not in table.columns)], rows)

    # Order and number

    def take(self, table: Table) -> Table:
        return Table(table.columns, table.rows[: self._count()], is_limited=True)

    def sample(self, table: Table) -> Table:
        return Table(table.columns, random.sample(table.rows, min(self._count(), len(table.rows))), is_limited=True)

    def _count(self) -> int:
        word = self.reading.step()
        if word.kind is not Kind.NUMBER:
            raise self.reading.failure(word)
        return int(word.text)

    def order(self, table: Table) -> Table:
        self.reading.demand("by")
        return Table(table.columns, self._ordered(table, "order"), table.is_limited)

    def top(self, table: Table) -> Table:
        count = self._count()
        self.reading.demand("by")
        return Table(table.columns, self._ordered(table, "top")[:count], is_limited=True)

    def _ordered(self, table: Table, operator: str) -> list[Row]:
        over, keys = self._over(table, operator), list[tuple[Compute, bool]]()
        while not keys or self.reading.takes(","):
            compute = over.one().compute
            ascends = self.reading.takes("asc")
            if not ascends:
                self.reading.takes("desc")
            if self.reading.takes("nulls"):
                self.reading.step()
            keys.append((compute, ascends))
        rows = list(table.rows)
        for compute, ascends in reversed(keys):
            rows.sort(key=_key(compute), reverse=not ascends)
        return rows

    # Together

    def number(self, table: Table) -> Table:
        return Table(["Count"], [{"Count": len(table.rows)}])

    def distinct(self, table: Table) -> Table:
        if self.reading.takes("*"):
            names = [(name, Expression(_reader(name), name)) for name in table.columns]
        else:
            names = list(self._named(table, "distinct"))
        made = _computed(names, table, kept=[])
        return Table(made.columns, _unique(made.rows))

    def summarize(self, table: Table) -> Table:
        aggregates = [] if self.reading.now.text == "by" else list(self._named(table, "summarize"))
        keys = list(self._named(table, "summarize")) if self.reading.takes("by") else []
        groups: dict[str, list[Row]] = {}
        for row in table.rows:
            groups.setdefault(text_of([text_of(one.compute(row)) for _, one in keys]), []).append(row)
        if not keys and not groups:
            groups[""] = []
        rows = [_summary(aggregates, keys, members) for members in groups.values()]
        named = [name for name, one in aggregates if one.aggregate not in {"arg_max", "arg_min"}]
        columns = list(rows[0]) if rows else [*(name for name, _ in keys), *named]
        return Table(columns, rows)

    def join(self, table: Table) -> Table:
        kind = self._join_kind()
        self.reading.demand("(")
        right = self.table()
        self.reading.demand(")")
        self.reading.demand("on")
        keys = [self._join_key(table, right)]
        while self.reading.takes(","):
            keys.append(self._join_key(table, right))
        return _joined(table, right, kind, keys)

    def _join_kind(self) -> str:
        if not self.reading.takes("kind"):
            return "innerunique"
        self.reading.demand("=")
        word = self.reading.step()
        if word.text not in _KINDS:
            raise self.reading.failure(word)
        return word.text

    def _join_key(self, left: Table, right: Table) -> tuple[str, str]:
        if not self.reading.takes("$left"):
            name = self.reading.name()
            for table in (left, right):
                if name not in table.columns:
                    raise QueryError("Default", f"'join' operator: Failed to resolve column named '{name}'")
            return name, name
        self.reading.demand(".")
        one = self.reading.name()
        self.reading.demand("==")
        self.reading.demand("$right")
        self.reading.demand(".")
        return one, self.reading.name()

    def union(self, table: Table) -> Table:
        found = [table, self._member()]
        while self.reading.takes(","):
            found.append(self._member())
        columns = list(dict.fromkeys(name for one in found for name in one.columns))
        return Table(columns, [row for one in found for row in one.rows])

    def _member(self) -> Table:
        if not self.reading.takes("("):
            return self.source(self.reading.name())
        found = self.table()
        self.reading.demand(")")
        return found


_OPERATORS: Final[Mapping[str, Callable[[Query, Table], Table]]] = {
    "where": Query.where,
    "filter": Query.where,
    "project": Query.project,
    "project-away": Query.away,
    "project-keep": Query.keep,
    "project-rename": Query.rename,
    "project-reorder": Query.reorder,
    "extend": Query.extend,
    "mv-expand": Query.expand,
    "mvexpand": Query.expand,
    "take": Query.take,
    "limit": Query.take,
    "sample": Query.sample,
    "order": Query.order,
    "sort": Query.order,
    "top": Query.top,
    "count": Query.number,
    "distinct": Query.distinct,
    "summarize": Query.summarize,
    "join": Query.join,
    "union": Query.union,
}


def _computed(columns: Iterable[tuple[str, Expression]], table: Table, kept: list[str]) -> Table:
    """Each column may use those before it."""
    named, rows = list(columns), []
    for row in table.rows:
        made = dict(row)
        for name, found in named:
            made[name] = found.compute(made)
        rows.append(made)
    names = list(dict.fromkeys([*kept, *(name for name, _ in named)]))
    return _with_columns(Table(names, rows, table.is_limited), names)


def _with_columns(table: Table, columns: list[str]) -> Table:
    return Table(columns, [{name: row.get(name) for name in columns} for row in table.rows], table.is_limited)


def _summary(
    aggregates: Iterable[tuple[str, Expression]], keys: Iterable[tuple[str, Expression]], rows: list[Row]
) -> Row:
    made = {name: found.compute(rows[0]) for name, found in keys}
    for name, found in aggregates:
        columns = aggregated(found, rows)
        made |= columns if len(columns) > 1 or name == found.name else {name: next(iter(columns.values()))}
    return made


def _joined(left: Table, right: Table, kind: str, keys: list[tuple[str, str]]) -> Table:
    renamed = {name: f"{name}1" if name in left.columns else name for name in right.columns}
    by_key: dict[str, list[Row]] = {}
    for row in right.rows:
        by_key.setdefault(_joint(row, [key for _, key in keys]), []).append(row)
    lefts = _unique(left.rows, [key for key, _ in keys]) if kind == "innerunique" else left.rows
    rows, met = [], set()
    for row in lefts:
        key = _joint(row, [name for name, _ in keys])
        met.add(key)
        found = by_key.get(key, [])
        if kind in {"leftanti", "leftsemi"}:
            rows += [row] if bool(found) == (kind == "leftsemi") else []
            continue
        others = found or ([{}] if kind in {"leftouter", "fullouter"} else [])
        rows += [{**row, **{new: other.get(name) for name, new in renamed.items()}} for other in others]
    if kind in {"rightouter", "fullouter"}:
        missed = (row for key, found in by_key.items() if key not in met for row in found)
        rows += [{renamed[name]: value for name, value in row.items()} for row in missed]
    return Table(left.columns if kind in {"leftanti", "leftsemi"} else [*left.columns, *renamed.values()], rows)


def _joint(row: Row, names: Iterable[str]) -> str:
    return text_of([text_of(row.get(name)) for name in names])


def _unique(rows: Iterable[Row], names: Iterable[str] | None = None) -> list[Row]:
    found: dict[str, Row] = {}
    for row in rows:
        found.setdefault(_joint(row, names or row), row)
    return list(found.values())


def _elements(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [{name: one} for name, one in value.items()]
    return (value or [None]) if isinstance(value, list) else [value]


def _key(compute: Compute) -> Callable[[Row], Any]:
    return lambda row: sorted_by(compute(row))


def _reader(name: str) -> Compute:
    return lambda row: row.get(name)
