"""Queries logs, and lists their tables and columns."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.graph import text_of
from clients.azure.log_rows import LogRows
from clients.azure.logs import ResourceLogs, found_by
from clients.azure.spans import TimeSpan
from clients.azure.times import span, to_seconds
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.monitor.components import ComponentReply, of_component, result_of
from tools.azure.monitor.query_errors import explained
from tools.azure.monitor.rows import table_answer
from tools.azure.monitor.sources import LogSource, log_source
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.parameters import MaxResults, Since, Until

part = Part()

_WRONG: Final = 400
_MOST_TABLES: Final = 200
_MOST_COLUMNS: Final = 500
# A workspace records the size of its tables. For other resources, the tables must be scanned to find their size.
_TABLES_OF_WORKSPACE: Final = (
    "Usage\n| summarize megabytes = sum(Quantity), last = max(TimeGenerated) by name = DataType\n"
    "| order by megabytes desc"
)
_TABLES: Final = (
    "union withsource = name *\n{own}| summarize entries = count(), last = max({time}) by name\n| order by entries desc"
)
_BY_CLASSIC_NAMES: Final = (
    "The workspace could not be queried, so the result comes from the Application Insights component, which uses"
    " the classic names of tables and columns."
)

Table = Annotated[
    str | None, Field(pattern=r"^[A-Za-z_]\w*$", max_length=128, description="List columns of this table")
]


@part.tool(Access.READ, harmless=("since", "until", "max_results"))
async def query_logs(
    azure: Arm,
    source: LogSource,
    query: Annotated[str, Field(min_length=1, max_length=20_000, description="KQL")],
    since: Since,
    until: Until = None,
    max_results: MaxResults = 50,
) -> Json:
    """Run a KQL query over logs (Log Analytics, Application Insights) in a time span.

    Filter and summarize in the query: long results are cut. list_log_tables lists tables and columns.
    """
    logs, about = await log_source(azure, source), span(since, until)
    reply = await _found(azure, logs, query, about, max_results)
    note = _BY_CLASSIC_NAMES if reply.is_classic and logs.workspace else None
    return table_answer(reply.found, max_results, asked=logs.id.name, span=about.text, note=note)


@part.tool(Access.READ, harmless=("table", "since", "until"))
async def list_log_tables(
    azure: Arm, source: LogSource, table: Table = None, since: Since = "1d", until: Until = None
) -> Json:
    """List the log tables that have rows in a time span, or the columns of one table, with their types."""
    logs, about = await log_source(azure, source), span(since, until)
    if table:
        found = (await _found(azure, logs, f"{table}\n| getschema", about, _MOST_COLUMNS)).found
        columns = {str(row.get("ColumnName")): str(row.get("ColumnType")) for row in found.rows}
        return answer(asked=logs.id.name, table=table, columns=columns, more=_more(found))
    found = await _tables(azure, logs, about)
    tables = [{**row, "last": to_seconds(row.get("last"))} for row in found.rows]
    return {**answer(asked=logs.id.name, more=_more(found)), "count": len(tables), "items": tables}


async def _found(azure: Azure, source: ResourceLogs, query: str, about: TimeSpan, limit: int) -> ComponentReply:
    try:
        return await result_of(azure, source, query, about, limit)
    except AzureRefusal as refusal:
        if refusal.status != _WRONG:
            raise
        raise await explained(azure, source, query, about, refusal) from None


async def _tables(azure: Azure, source: ResourceLogs, about: TimeSpan) -> LogRows:
    if source.workspace:
        own = f"where _ResourceId =~ {text_of(source.id.text)}"
        classic = _TABLES.format(own="", time="timestamp")
        query = _TABLES.format(own=f"| {own}\n", time="TimeGenerated")
        return (await of_component(azure, source, query, classic, about, _MOST_TABLES)).found
    time = "timestamp" if source.is_classic else "TimeGenerated"
    query = _TABLES_OF_WORKSPACE if source.is_workspace else _TABLES.format(own="", time=time)
    return await found_by(azure, source, query, about, _MOST_TABLES)


def _more(found: LogRows) -> str | None:
    return "The list is incomplete." if found.is_cut or found.partial else None
