"""Runs the caller's Resource Graph queries, and lists the types and properties that queries can use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.graph import GraphRows, of_caller, ready_made, rows_of, text_of
from clients.azure.messages import AzureRequest
from clients.azure.resource_scopes import names_of
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.resources import ResourceType
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.graph_answers import rows_told
from tools.azure.shared.parameters import MaxResults, Subscriptions

part = Part()

# The most important Resource Graph tables. Azure has more tables, but no API to list them.
_TABLES: Final = (
    "resources, resourcecontainers, resourcechanges, resourcecontainerchanges, advisorresources,"
    " authorizationresources, healthresources, servicehealthresources, policyresources, securityresources,"
    " alertsmanagementresources, insightsresources, maintenanceresources, patchassessmentresources,"
    " recoveryservicesresources"
)
_HELP: Final = f"describe_resource_graph lists types and properties. Tables: {_TABLES}."
_SAMPLE: Final = 3
_MOST_TYPES: Final = 100
_MOST_PROPERTIES: Final = 150
_MOST_LOOKED_AT: Final = 5000
_DEEPEST: Final = 5
_KINDS: Final[Mapping[type, str]] = {str: "string", bool: "bool", int: "int", float: "real"}

Query = Annotated[str, Field(min_length=1, max_length=20_000, description="KQL, e.g. resources | take 5")]
Skip = Annotated[int, Field(ge=0, le=1_000_000, description="Rows to skip; requires a sorted query")]
Table = Annotated[str | None, Field(pattern="^[A-Za-z]+$", max_length=60, description="Example: resources")]


@part.tool(Access.READ)
async def query_resource_graph(
    azure: Arm, query: Query, subscription: Subscriptions = None, max_results: MaxResults = 100, skip: Skip = 0
) -> Json:
    """Query all resources of all subscriptions at once with Resource Graph (KQL). Data lags by minutes.

    `project` only the columns you need. describe_resource_graph lists tables and properties.
    """
    asked = await azure.asked_subscriptions(subscription)
    request = of_caller([one.id for one in asked], query)
    try:
        rows = await rows_of(azure.send, request, max_results, skip)
    except AzureRefusal as refusal:
        if refusal.status != 400:
            raise
        raise Refusal(f"{refusal} {_HELP}") from None
    return rows_told(rows, asked, advice="pass `skip`, raise max_results, or narrow the request")


@part.tool(Access.READ)
async def describe_resource_graph(
    azure: Arm, table: Table = None, resource_type: ResourceType = None, subscription: Subscriptions = None
) -> Json:
    """Describe what queries can use: types with counts, a table's columns, a type's properties.

    Reads a few rows; other rows may have more properties.
    """
    asked = await azure.asked_subscriptions(subscription)
    ids = [one.id for one in asked]
    if not table and not resource_type:
        return await _types(azure, ids, tables=_TABLES, asked=names_of(asked))
    narrowing = [f"where type =~ {text_of(resource_type)}"] if resource_type else []
    request = ready_made(ids, table or "resources", *narrowing, f"take {_SAMPLE}")
    return _described(await _query(azure, request, _SAMPLE), asked=names_of(asked))


async def _types(azure: Azure, subscriptions: list[str], **about: Any) -> Json:
    steps = "summarize number = count() by type", "order by number desc"
    rows = await _query(azure, ready_made(subscriptions, "resources", *steps), _MOST_TYPES)
    types = {str(row.get("type")): row.get("number") for row in rows.items}
    left_out = f"Showing the most frequent of {rows.total} types." if rows.has_more else None
    return answer(**about, types=types, more=left_out)


async def _query(azure: Azure, request: AzureRequest, limit: int) -> GraphRows:
    try:
        return await rows_of(azure.send, request, limit)
    except AzureRefusal as refusal:
        if refusal.status != 400:
            raise
        raise Refusal(f"{refusal} Tables: {_TABLES}.") from None


def _described(rows: GraphRows, **about: Any) -> Json:
    """Return the names and types of the properties in some rows. Values are never returned."""
    if not rows.items:
        return answer(**about, rowsRead=0, note="The table has no rows that you can see, so its columns are unknown.")
    found = chain.from_iterable(_paths(row, "", _DEEPEST) for row in rows.items)
    # For each property, keep the type that is found first. The number of properties is limited, because a model cannot
    # use more.
    kinds: dict[str, str] = {}
    for path, kind in islice(found, _MOST_LOOKED_AT):
        if path in kinds or len(kinds) < _MOST_PROPERTIES:
            kinds.setdefault(path, kind)
    left_out = f"Only the first {_MOST_PROPERTIES} are shown." if len(kinds) == _MOST_PROPERTIES else None
    return answer(**about, rowsRead=len(rows.items), more=left_out, columns=kinds)


def _paths(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the path and the KQL type of each property in a value."""
    if isinstance(value, Mapping) and value and depth:
        for name, inner in value.items():
            yield from _paths(inner, _step(path, str(name)), depth - 1)
    elif isinstance(value, list) and value and depth:
        yield from _paths(value[0], f"{path}[0]", depth - 1)
    elif value is not None:
        yield path, _KINDS.get(type(value), "dynamic")


def _step(path: str, name: str) -> str:
    if not name.replace("_", "a").isalnum() or not name.isascii():
        return f"{path}['{name}']"
    return f"{path}.{name}" if path else name
