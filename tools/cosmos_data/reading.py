"""Reads records of the caller's tenant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from clients.cosmos_data.documents import Compiled
from clients.cosmos_data.service import Spent
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.cosmos_data.access import TenantRecords
from tools.cosmos_data.documents import checked_id
from tools.cosmos_data.filters import Filter, compiled
from tools.cosmos_data.pages import UNTRUSTED, RecordQuery, rows_of
from tools.cosmos_data.parameters import OF_A_RECORD, USUAL, ContainerName, Key, MaxItems, RecordId, TenantId, Token
from tools.cosmos_data.tenancy import Belongs, Records

part = Part()

Json = dict[str, Any]
_SAMPLE: Final = 20
_MOST_FIELDS: Final = 60
_SELECT: Final = re.compile(r"\s*select\b", re.IGNORECASE)
_STRINGS: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_UNWANTED: Final = re.compile(r"\budf\b|;|--|/\*", re.IGNORECASE)
_TYPES: Final = {str: "text", bool: "truth value", int: "number", float: "number", list: "list", dict: "object"}

Sql = Annotated[str, Field(min_length=8, max_length=4000, description="SELECT ... FROM c ..., with @names for values")]
Parameters = Annotated[
    dict[str, str | int | float | bool | None] | None, Field(max_length=50, description="By name, without the @")
]


@part.tool(Access.READ, harmless=("tenant_id", "container", "max_items"))
async def cosmos_db_query(
    data: Records,
    belonging: Belongs,
    tenant_id: TenantId = None,
    container: ContainerName = USUAL,
    query: Filter | None = None,
    max_items: MaxItems = 10,
    key: Key = None,
    continuation_token: Token = None,
) -> Json:
    """Query records of your tenant in Cosmos DB by conditions on fields. Without query: all records."""
    asked = compiled(query or Filter())
    return await _rows(data, belonging, tenant_id, container, asked, max_items, key, continuation_token)


@part.tool(Access.READ, harmless=("tenant_id", "container", "max_items"))
async def cosmos_db_select(
    data: Records,
    belonging: Belongs,
    container: ContainerName,
    sql: Sql,
    parameters: Parameters = None,
    tenant_id: TenantId = None,
    max_items: MaxItems = 10,
    key: Key = None,
    continuation_token: Token = None,
) -> Json:
    """Query records of your tenant in Cosmos DB with your own SELECT."""
    bare = _STRINGS.sub("''", sql)
    if not _SELECT.match(sql) or _UNWANTED.search(bare):
        raise Refusal("sql must be one SELECT without comments, semicolons or user-defined functions (udf).")
    given = [{"name": f"@{name}", "value": value} for name, value in (parameters or {}).items()]
    asked = Compiled(text=sql, parameters=given, is_whole=False)
    return await _rows(data, belonging, tenant_id, container, asked, max_items, key, continuation_token)


@part.tool(Access.READ, harmless=OF_A_RECORD)
async def cosmos_db_read(
    data: Records,
    belonging: Belongs,
    id: RecordId,
    container: ContainerName = USUAL,
    key: Key = None,
    tenant_id: TenantId = None,
) -> Json:
    """Read one record of your tenant in Cosmos DB by id, with the etag needed to change it."""
    spent, tenant = Spent(), belonging.tenant(tenant_id)
    found = await data.container(container)
    item = await found.read(found.partition(tenant, key or ()), checked_id(id), spent)
    return {"untrusted": UNTRUSTED, "item": item, "etag": item.get("_etag"), "request_units": round(spent.units, 2)}


@part.tool(Access.READ, harmless=("tenant_id",))
async def cosmos_db_containers(data: Records, belonging: Belongs, tenant_id: TenantId = None) -> Json:
    """List the Cosmos DB containers you can use, with partition keys and the fields in a sample of your records."""
    tenant = belonging.tenant(tenant_id)
    return {"containers": [await _described(data, belonging, name, tenant) for name in data.allowed]}


async def _described(data: TenantRecords, belonging: Belongs, name: str, tenant: str) -> Json:
    try:
        container = await data.container(name)
        query = RecordQuery(container, container.partition(tenant), compiled(Filter()), belonging.mark)
        page = await rows_of(data, query, _SAMPLE, None)
    except Refusal as refusal:
        return {"name": name, "problem": str(refusal)}
    return {
        "name": name,
        "partition_key": list(container.paths),
        "sampled": page["count"],
        "fields": dict(list(shape(page["items"]).items())[:_MOST_FIELDS]),
        "request_units": page["request_units"],
    }


def shape(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the fields of records, with the types of the fields. If a field is missing from some records, also return
    the number of records that have it.
    """
    seen: dict[str, Counter[str]] = {}
    for record in records:
        for path, kind in _fields(record, ""):
            seen.setdefault(path, Counter())[kind] += 1
    return {path: _kinds_in_words(kinds, len(records)) for path, kinds in seen.items()}


def _kinds_in_words(kinds: Counter[str], total: int) -> str:
    count = kinds.total()
    return " or ".join(kinds) + (f" ({count} of {total})" if count < total else "")


def _fields(record: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping) and value and path.count(".") < 2:
            yield from _fields(value, f"{path}.")
        elif not (name.startswith("_") and not above):
            yield path[:200], _TYPES.get(type(value), "null")


async def _rows(
    data: TenantRecords,
    belonging: Belongs,
    tenant_id: str | None,
    container: str,
    asked: Compiled,
    most: int,
    key: Key,
    token: str | None,
) -> Json:
    tenant = belonging.tenant(tenant_id)
    found = await data.container(container)
    query = RecordQuery(found, found.partition(tenant, key or ()), asked, belonging.mark)
    return await rows_of(data, query, most, token)
