"""Runs log queries on a workspace, or on the logs that a resource sent to its workspace.

A query is sent to the URL of a resource and therefore reads only the logs of this resource. Everyone who can read the
resource can query its logs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from clients.azure.client import Azure
from clients.azure.cloud import Service
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.log_rows import LogRows, found_in
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.spans import TimeSpan

WORKSPACES: Final = "microsoft.operationalinsights/workspaces"
COMPONENTS: Final = "microsoft.insights/components"
# The maximum number of bytes to read from a response.
LARGEST: Final = 512 * 1024
_LARGE: Final = 64 * 1024
# The time limit that the service applies to a query.
_SECONDS: Final = 45
# The time after which we stop waiting for a response.
_PATIENCE: Final = 55.0
_TIMED_OUT: Final = 504
_SLOW: Final = "The query timed out. Use a shorter time span, filter earlier in the query, or summarize."


@dataclass(frozen=True, slots=True)
class ResourceLogs:
    """The place where the logs of a resource are stored.

    `app` is the ID of an Application Insights component without a workspace.
    """

    id: ResourceId
    app: str = ""
    workspace: str = ""

    @classmethod
    def of(cls, place: ResourceId, properties: Mapping[str, Any]) -> Self:
        """Read the properties of a resource to determine where its logs are stored."""
        if place.type.lower() != COMPONENTS:
            return cls(place)
        workspace = str(properties.get("WorkspaceResourceId") or "")
        return cls(place, "" if workspace else str(properties.get("AppId") or ""), workspace)

    @property
    def is_workspace(self) -> bool:
        return self.id.type.lower() == WORKSPACES

    @property
    def is_classic(self) -> bool:
        """Whether tables have their classic names, for example `requests` instead of `AppRequests`."""
        return bool(self.app)

    def service(self, azure: Azure) -> Service:
        return azure.cloud.app_of(self.app, self.id) if self.app else azure.cloud.logs_of(self.id)


async def found_by(azure: Azure, source: ResourceLogs, query: str, span: TimeSpan, limit: int) -> LogRows:
    """Run a query over a time span. Reads at most `limit` rows and half a megabyte.

    Raises:
        Refusal: The query is invalid, takes too long, or is not permitted.
    """
    answer = await _answered(azure, source, query, span)
    # Parse a large response in a thread: the search for secrets in many rows takes long, and would block other
    # requests.
    return await asyncio.to_thread(found_in, answer, limit) if len(answer.content) > _LARGE else found_in(answer, limit)


async def _answered(azure: Azure, source: ResourceLogs, query: str, span: TimeSpan) -> AzureAnswer:
    service = source.service(azure)
    names = {f"part{number}": part for number, part in enumerate(service.place)}
    line = "POST " + "".join(f"/{{{name}}}" for name in names) + "/query"
    request = AzureRequest(line, names, body={"query": query, "timespan": span.text}, is_read=True, service=service)
    request = replace(request, headers={"Prefer": f"wait={_SECONDS}"}, seconds=_PATIENCE, version=None)
    try:
        return await azure.send(request, LARGEST)
    except AzureRefusal as refusal:
        raise refusal.with_more(_SLOW) if refusal.status == _TIMED_OUT else refusal from None
