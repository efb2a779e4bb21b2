"""Resource Graph: queries over all that a caller sees, within the subscriptions of the request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate
from tests.fakes.azure.graph.operators import Query, Table
from tests.fakes.azure.graph.tables import Tables
from tests.fakes.azure.graph.values import told
from tests.fakes.azure.graph.words import QueryError
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, offset_of, skip_token

_SUPPORT: Final = "Please provide below info when asking for support: timestamp = {at}, correlationId = {trace}."
_INVALID: Final = (
    "Query is invalid. Please refer to the documentation for the Azure Resource Graph service and fix the error before"
    " retrying."
)
_THROTTLED: Final = (
    "Client application has been throttled and should not attempt to repeat the request until an amount of time has"
    " elapsed. Please see https://aka.ms/resourcegraph-throttling for help."
)
_RESETS: Final = "00:00:05"
_LARGEST_PAGE: Final = 1000


@dataclass
class ResourceGraph:
    """Without a `quota`, there is always one request left less than there are."""

    estate: Estate
    access: Access
    quota: int | None = None
    largest_page: int = _LARGEST_PAGE

    @property
    def routes(self) -> list[Route]:
        place = "POST /providers/Microsoft.ResourceGraph/resources"
        return [Route(place, self._answer, type="Microsoft.ResourceGraph/resources")]

    def _answer(self, asked: Asked) -> Reply:
        left = self._spend()
        body = asked.body
        if not isinstance(body.get("query"), str) or not body["query"].strip():
            raise _bad("BadRequest", [{"code": "InvalidQuery", "message": "Query cannot be empty."}])
        tables = Tables(self.estate, self.access, called_by(asked), self._within(asked, body))
        try:
            table = Query.run(body["query"], tables.named)
        except QueryError as error:
            raise _bad("BadRequest", [{"code": "InvalidQuery", "message": _INVALID}, _detail(error)]) from None
        return Reply(self._page(asked, table, body.get("options") or {}), headers=_quota(left))

    def _spend(self) -> int:
        if self.quota is None:
            return 14
        if self.quota <= 0:
            details = [{"code": "RateLimiting", "message": _THROTTLED}]
            raise _bad("RateLimiting", details, 429, {**_quota(0), "Retry-After": "5"})
        self.quota -= 1
        return self.quota

    def _within(self, asked: Asked, body: Json) -> frozenset[str]:
        caller = called_by(asked)
        seen = {
            name
            for name, one in self.estate.subscriptions.items()
            if one["tenantId"] == asked.tenant and self.access.sees(caller, str(one["id"]))
        }
        wanted = [str(one).lower() for one in body.get("subscriptions") or []]
        if wanted and not seen.intersection(wanted):
            given = ", ".join(f"'{one}'" for one in wanted)
            message = f"There must be at least one subscription that is eligible to contain resources. Given: {given}."
            raise _bad("BadRequest", [{"code": "NoValidSubscriptionsInQueryRequest", "message": message}])
        return frozenset(seen.intersection(wanted) if wanted else seen)

    def _page(self, asked: Asked, table: Table, options: Json) -> Json:
        top, start = int(options.get("$top", self.largest_page)), _start(options)
        if not 1 <= top <= _LARGEST_PAGE:
            message = f"The value of $top must be between 1 and {_LARGEST_PAGE}."
            raise _bad("BadRequest", [{"code": "InvalidOptions", "message": message}])
        end = start + min(top, self.largest_page)
        rows = [told(row) for row in table.rows[start:end]]
        can_go_on = "id" in table.columns and not table.is_limited
        is_cut = end < len(table.rows)
        page = {
            "totalRecords": len(table.rows),
            "count": len(rows),
            "facets": [],
            "data": _shaped(asked, table, rows, options),
        }
        page["resultTruncated"] = "true" if is_cut and not can_go_on else "false"
        return {**page, "$skipToken": skip_token(end)} if is_cut and can_go_on else page


def _start(options: Json) -> int:
    try:
        return offset_of(options.get("$skipToken")) or int(options.get("$skip", 0))
    except AzureError:
        raise _bad("BadRequest", [{"code": "InvalidSkipToken", "message": "The skip token is invalid."}]) from None


def _shaped(asked: Asked, table: Table, rows: list[Any], options: Json) -> Any:
    """Older versions give a table where nothing is said."""
    otherwise = "table" if asked.version == "2019-04-01" else "objectArray"
    if options.get("resultFormat", otherwise) != "table":
        return rows
    columns = [{"name": name, "type": _type(name, rows)} for name in table.columns]
    return {"columns": columns, "rows": [[row.get(name) for name in table.columns] for row in rows]}


def _type(name: str, rows: list[Any]) -> str:
    found = next((row[name] for row in rows if row.get(name) is not None), "")
    if isinstance(found, dict | list):
        return "object"
    return "boolean" if isinstance(found, bool) else "integer" if isinstance(found, int) else "string"


def _quota(left: int) -> dict[str, str]:
    return {"x-ms-user-quota-remaining": str(left), "x-ms-user-quota-resets-after": _RESETS}


def _detail(error: QueryError) -> Json:
    if error.place is None:
        return {"code": error.code, "message": error.message}
    line, column, token = error.place
    place = {"line": line, "characterPositionInLine": column, "token": token, "expectedToken": "Ÿ"}
    return {"code": error.code, "message": error.message, **place}


def _bad(code: str, details: list[Json], status: int = 400, headers: dict[str, str] | None = None) -> AzureError:
    message = _SUPPORT.format(at="2026-11-22T07:08:29.0524831Z", trace="7ace0000-0000-4000-8000-00000000000b")
    return AzureError(status, code, message, more={"details": details}, headers=headers)
