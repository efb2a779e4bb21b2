"""What queries of logs have and those of Resource Graph have not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure.graph.operators import Query, Table
from tests.fakes.azure.graph.words import Kind

_KINDS: Final = {bool: "bool", int: "long", float: "real", str: "string", dict: "dynamic", list: "dynamic"}
_SYSTEM: Final = {
    "string": "System.String",
    "long": "System.Int64",
    "int": "System.Int32",
    "real": "System.Double",
    "bool": "System.SByte",
    "datetime": "System.DateTime",
    "dynamic": "System.Object",
}


@dataclass
class TypedTable(Table):
    """A table that knows of what type its columns are."""

    types: dict[str, str] = field(default_factory=dict)


@dataclass
class LogQuery(Query):
    """It may begin with `union`, of tables by name or of all, and ask for columns and types."""

    everything: tuple[str, ...] = ()

    def table(self) -> Table:
        if not self.reading.takes("union"):
            return super().table()
        source = self._option("withsource")
        self._option("isfuzzy")
        self._option("kind")
        table = self._united(source)
        while self.reading.takes("|"):
            table = self._operate(table)
        return table

    def _option(self, name: str) -> str:
        if not self.reading.takes(name):
            return ""
        self.reading.demand("=")
        return self.reading.step().text

    def _united(self, source: str) -> Table:
        if self.reading.takes("*"):
            parts = [(name, self.source(name)) for name in self.everything]
        else:
            parts = [self._part()]
            while self.reading.takes(","):
                parts.append(self._part())
        rows = [{**row, **({source: name} if source else {})} for name, table in parts for row in table.rows]
        columns = dict.fromkeys([*([source] if source else []), *(one for _, each in parts for one in each.columns)])
        return Table(list(columns), rows)

    def _part(self) -> tuple[str, Table]:
        if not self.reading.takes("("):
            name = self.reading.name()
            return name, self.source(name)
        name = self.reading.now.text
        found = self.table()
        self.reading.demand(")")
        return name, found

    def _operate(self, table: Table) -> Table:
        if self.reading.now.kind is Kind.NAME and self.reading.now.text == "getschema":
            self.reading.step()
            return _schema(table)
        return super()._operate(table)


def _schema(table: Table) -> Table:
    types = types_of(table)
    columns = ["ColumnName", "ColumnOrdinal", "DataType", "ColumnType"]
    rows = [
        dict(zip(columns, (name, at, _SYSTEM[types[name]], types[name]), strict=True))
        for at, name in enumerate(table.columns)
    ]
    return Table(columns, rows)


def types_of(table: Table, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """What is known of the columns, by their table or by their names, or else can be seen in their values."""
    own = table.types if isinstance(table, TypedTable) else {}
    return {name: own.get(name) or (known or {}).get(name) or _seen(table, name) for name in table.columns}


def _seen(table: Table, name: str) -> str:
    value: Any = next((row[name] for row in table.rows if row.get(name) is not None), "")
    return _KINDS.get(type(value), "datetime")
