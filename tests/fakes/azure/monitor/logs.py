"""Logs of the invented Azure: rows by resource, as Log Analytics and Application Insights give them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate, Resource, is_within, type_of
from tests.fakes.azure.graph.operators import Table
from tests.fakes.azure.graph.reading import Reading
from tests.fakes.azure.graph.values import moment_of, told
from tests.fakes.azure.graph.words import QueryError
from tests.fakes.azure.monitor.kql import LogQuery, TypedTable, types_of
from tests.fakes.azure.monitor.schemas import CLASSIC, CLASSIC_COLUMNS, SCHEMAS
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route

_WORKSPACES: Final = "microsoft.operationalinsights/workspaces"
_COMPONENTS: Final = "microsoft.insights/components"
_TRACE: Final = "7ace0000-0000-4000-8000-00000000000c"
_SPAN: Final = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")


@dataclass
class Logs:
    """`partial` goes with the next answers as their error, and `largest` is after how many rows the service stops."""

    estate: Estate
    access: Access
    rows: dict[str, list[Json]] = field(default_factory=dict)  # by the name of their table
    partial: Json | None = None
    largest: int = 500_000

    @property
    def routes(self) -> list[Route]:
        return [
            Route("POST /v1/workspaces/{workspace}/query", self._of_workspace, is_of_data=True),
            Route("POST /v1/apps/{app}/query", self._of_app, is_of_data=True),
            Route("POST /v1/{rest}/query", self._of_resource, is_of_data=True),
        ]

    def add(self, resource: str, table: str, at: datetime, **columns: Any) -> Json:
        """A row of a table, which a resource wrote; tables that nobody knows come to be by it."""
        row = {"TimeGenerated": at, **columns, "Type": table, "_ResourceId": resource.lower()}
        self.rows.setdefault(table, []).append(row)
        return row

    # Who is asked

    def _of_workspace(self, asked: Asked) -> Reply:
        named = asked.places["workspace"]
        for one in self._all(_WORKSPACES):
            if one.properties.get("customerId") == named:
                return self._answer(asked, one.id, self._tables_in(one.id))
        raise _failed(404, "WorkspaceNotFoundError", f"The workspace '{named}' could not be found")

    def _of_app(self, asked: Asked) -> Reply:
        named = asked.places["app"]
        for one in self._all(_COMPONENTS):
            if one.properties.get("AppId") == named:
                return self._answer(asked, one.id, self._classic(one.id))
        raise _failed(404, "ApplicationNotFoundError", f"The application '{named}' could not be found")

    def _of_resource(self, asked: Asked) -> Reply:
        scope = f"/{asked.places['rest']}"
        known = scope.lower() in self.estate.resources or scope.lower() in self.estate.groups
        if not known and self.estate.tenant_of(scope.rpartition("/")[2]) is None:
            raise _failed(404, "PathNotFoundError", "The requested path does not exist")
        is_component = type_of(scope).lower() == _COMPONENTS
        return self._answer(asked, scope, {**self._tables_in(scope), **(self._classic(scope) if is_component else {})})

    def _all(self, kind: str) -> Iterator[Resource]:
        return (one for one in self.estate.resources.values() if one.type.lower() == kind)

    # What they have

    def _tables_in(self, scope: str) -> Mapping[str, TypedTable]:
        is_within_it = self._reader(scope)
        names = dict.fromkeys([*SCHEMAS, *self.rows])
        found = {name: [row for row in self.rows.get(name, []) if is_within_it(row)] for name in names}
        if scope.lower() in self.estate.resources and type_of(scope).lower() == _WORKSPACES:
            found["Usage"] = [*found["Usage"], *_usage(found)]
        return {name: _table(name, rows) for name, rows in found.items()}

    def _reader(self, scope: str) -> Callable[[Json], bool]:
        if type_of(scope).lower() != _WORKSPACES:
            return lambda row: is_within(str(row["_ResourceId"]), scope)
        return lambda row: self._workspace_of(str(row["_ResourceId"])) == scope.lower()

    def _workspace_of(self, resource: str) -> str:
        """Where it writes: what it says itself, or the only workspace that there is."""
        found = self.estate.resources.get(resource.lower())
        own = found.properties.get("WorkspaceResourceId") if found else None
        return str(own or next(self._all(_WORKSPACES)).id).lower()

    def _classic(self, scope: str) -> Mapping[str, TypedTable]:
        return {old: _renamed(self._tables_in(scope)[new]) for old, new in CLASSIC.items()}

    # How it is answered

    def _answer(self, asked: Asked, scope: str, tables: Mapping[str, TypedTable]) -> Reply:
        self._check_access(asked, scope)
        body = asked.body
        query = body.get("query")
        if not isinstance(query, str) or not query.strip():
            raise _bad("", "", "The query must not be empty")
        since, until = _span(body.get("timespan"))

        def source(name: str) -> Table:
            if name not in tables:
                message = f"'' operator: Failed to resolve table or column expression named '{name}'"
                raise QueryError("SEM0100", message)
            table, time = tables[name], "timestamp" if name in CLASSIC else "TimeGenerated"
            rows = [row for row in table.rows if since <= (moment_of(row.get(time)) or since) <= until]
            return TypedTable(table.columns, rows, types=table.types)

        try:
            known = {name: kind for table in tables.values() for name, kind in table.types.items()}
            return Reply(self._told(_run(query, source, tuple(tables)), known))
        except QueryError as error:
            raise _refused(error) from None

    def _check_access(self, asked: Asked, scope: str) -> None:
        is_workspace = type_of(scope).lower() == _WORKSPACES
        action = (
            "Microsoft.OperationalInsights/workspaces/query/read" if is_workspace else "Microsoft.Insights/logs/read"
        )
        if not self.access.may(called_by(asked), action, scope):
            message = "The provided credentials have insufficient access to perform the requested operation"
            raise _failed(403, "InsufficientAccessError", message)

    def _told(self, table: Table, known: Mapping[str, str]) -> Json:
        types, is_cut = types_of(table, known), len(table.rows) > self.largest
        columns = [{"name": name, "type": types[name]} for name in table.columns]
        rows = [[_cell(row.get(name)) for name in table.columns] for row in table.rows[: self.largest]]
        document: Json = {"tables": [{"name": "PrimaryResult", "columns": columns, "rows": rows}]}
        error = self.partial or (_TOO_MANY if is_cut else None)
        return {**document, "error": error} if error else document


_TOO_MANY: Final[Json] = {
    "code": "PartialError",
    "message": "There were some errors when processing your query.",
    "details": [
        {
            "code": "EngineError",
            "message": "Something went wrong processing your query on the server.",
            "innererror": {
                "code": "-2133196797",
                "message": "The results of this query exceed the set limit of 500000 records.",
                "severity": 2,
                "severityName": "Error",
            },
        }
    ],
}


def _run(query: str, source: Callable[[str], Table], names: tuple[str, ...]) -> Table:
    read = LogQuery(Reading(query), source, everything=names)
    read._read_constants()  # noqa: SLF001 - a query of logs is one of the same language
    table = read.table()
    read.reading.takes(";")
    if not read.reading.is_over:
        raise read.reading.failure(read.reading.now)
    return table


def _table(name: str, rows: list[Json]) -> TypedTable:
    types = dict(SCHEMAS.get(name, {"TimeGenerated": "datetime"}))
    columns = list(dict.fromkeys([*types, *(column for row in rows for column in row)]))
    return TypedTable(columns, rows, types=types)


def _usage(tables: Mapping[str, list[Json]]) -> Iterable[Json]:
    """How much was written into each table, told for the time of its last row."""
    for name, rows in tables.items():
        if rows:
            last = max(row["TimeGenerated"] for row in rows)
            usage = {"TimeGenerated": last, "DataType": name, "Quantity": len(rows) / 1000, "QuantityUnit": "MBytes"}
            yield {**usage, "Type": "Usage"}


def _renamed(table: TypedTable) -> TypedTable:
    kept = {name: CLASSIC_COLUMNS[name] for name in table.columns if name in CLASSIC_COLUMNS}
    rows = [{new: row.get(old) for old, new in kept.items()} for row in table.rows]
    return TypedTable(list(kept.values()), rows, types={new: table.types.get(old, "") for old, new in kept.items()})


def _span(text: Any) -> tuple[datetime, datetime]:
    """A length, a moment and one, or two moments; without any, all times."""
    now = datetime.now(UTC)
    since, _, until = str(text or "").partition("/")
    if not since:
        return datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    end = moment_of(until) or now
    return moment_of(since) or end - _length(since), end


def _length(text: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if not found:
        raise _bad("", "", "The timespan is invalid")
    days, hours, minutes, seconds = (float(one or 0) for one in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _cell(value: Any) -> Any:
    """Lists and bags come as texts."""
    plain = told(value)
    return json.dumps(plain, separators=(",", ":")) if isinstance(plain, dict | list) else plain


def _refused(error: QueryError) -> AzureError:
    if error.place is None:
        return _bad("SemanticError", "A semantic error occurred.", error.message, code="SEM0100")
    line, column, token = error.place
    message = f"Query could not be parsed at '{token}' on line [{line},{column}]"
    place = {"line": line, "pos": column, "token": token}
    return _bad("SyntaxError", "A recognition error occurred in the query.", message, code="SYN0002", **place)


def _bad(kind: str, outer: str, message: str, **inner: Any) -> AzureError:
    own = {"message": message, **inner}
    more = {"innererror": {"code": kind, "message": outer, "innererror": own} if kind else own}
    return _failed(400, "BadArgumentError", "The request had some invalid properties", **more)


def _failed(status: int, code: str, message: str, **more: Any) -> AzureError:
    return AzureError(status, code, message, more={"correlationId": _TRACE, **more})
