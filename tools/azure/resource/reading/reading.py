"""Reads any Resource Manager resource by its path."""

from __future__ import annotations

from typing import Annotated

from clients.azure.messages import of_id
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm, Opened
from tools.azure.resource.reading import readable as paths
from tools.azure.resource.reading.versions import version_of
from tools.azure.shared.answers import Json, answer, as_read
from tools.azure.shared.parameters import MaxResults

part = Part()


@part.tool(Access.READ)
async def read_azure(
    azure: Arm,
    opened: Opened,
    path: Annotated[str, Field(min_length=1, max_length=2048, description="/subscriptions/... or /providers/...")],
    query: Annotated[dict[str, str] | None, Field(description="Example: $filter, $expand")] = None,
    api_version: Annotated[str | None, Field(max_length=40, description="Default: newest")] = None,
    max_results: MaxResults = 50,
) -> Json:
    """Read any Azure resource, or any list, by its management path (GET only); find_azure_operation finds paths.

    A path ending in a type returns a list. Do not guess names: read them, or ask the user. Never returns keys
    or secrets.
    """
    place = paths.readable(path)
    parameters = paths.query_of(query or {})
    version = await version_of(azure, opened, place, api_version or "")
    found = await azure.found(of_id("GET", place.id, query=parameters, version=version), max_results)
    if isinstance(found, ListPage):
        return as_read(found)
    return answer(result=found)
