"""Reads tables of storage accounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from clients.azure.storage import tables
from clients.azure.storage.tables import EntityQuery
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json
from tools.azure.shared.parameters import Subscription
from tools.azure.storage.storage_parameters import OF_ACCOUNT, AccountName, MostListed, Next, data_of, some

part = Part()

_LONGEST_VALUE: Final = 1000

TableName = Annotated[str, Field(pattern=r"^\$?[A-Za-z][A-Za-z0-9]{2,62}$", description="Its name")]
Filter = Annotated[str | None, Field(max_length=4000, description="OData: PartitionKey eq 'a' and Count gt 5")]
Select = Annotated[Sequence[str], Field(max_length=252, description="Only these properties")]


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def list_storage_tables(
    azure: Arm,
    account: AccountName,
    subscription: Subscription = None,
    max_results: MostListed = 100,
    next: Next = None,
) -> Json:
    """List the tables of a storage account."""
    data = await data_of(azure, account, subscription, "table")
    found = await tables.tables(data, max_results, next)
    return some([row.get("TableName") for row in found.rows], found.following)


@part.tool(Access.READ, harmless=(*OF_ACCOUNT, "table"))
async def query_storage_table(
    azure: Arm,
    account: AccountName,
    table: TableName,
    filter: Filter = None,
    select: Select = (),
    subscription: Subscription = None,
    max_results: MostListed = 20,
    next: Next = None,
) -> Json:
    """Get entities of a table. Long values are truncated unless max_results is 1."""
    data = await data_of(azure, account, subscription, "table")
    found = await tables.entities(data, EntityQuery(table, filter, select), max_results, next)
    return some([dict(row) if max_results == 1 else _cut(row) for row in found.rows], found.following)


def _cut(row: Mapping[str, Any]) -> Json:
    return {name: _shortened(value) for name, value in row.items()}


def _shortened(value: Any) -> Any:
    if not isinstance(value, str) or len(value) <= _LONGEST_VALUE:
        return value
    return f"{value[:_LONGEST_VALUE]}... ({len(value)} characters)"
