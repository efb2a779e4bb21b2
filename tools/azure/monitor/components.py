"""Queries the data of an Application Insights component, either in its workspace or, with classic names, through the
component itself.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.log_rows import LogRows
from clients.azure.logs import ResourceLogs, found_by
from clients.azure.spans import TimeSpan
from refusal import Refusal
from tools.azure.monitor.classic_names import by_classic_names, can_be_narrowed, narrowed

_NOT_PERMITTED: Final = frozenset({403, 404})
_UNRESOLVED: Final = "Failed to resolve table"


@dataclass(frozen=True, slots=True)
class ComponentReply:
    """The result of a query, and whether the query used classic names."""

    found: LogRows
    is_classic: bool


class _NotInWorkspaceError(Exception):
    """The component's log entries cannot be queried in its workspace."""


async def result_of(azure: Azure, source: ResourceLogs, query: str, about: TimeSpan, limit: int) -> ComponentReply:
    """Run a query.

    If a component has a workspace, and the query can be filtered to the component, query the workspace.
    """
    if not source.workspace or not can_be_narrowed(query):
        return ComponentReply(await found_by(azure, source, query, about, limit), source.is_classic)
    return await of_component(azure, source, narrowed(query, source.id), by_classic_names(query), about, limit)


async def of_component(
    azure: Azure, source: ResourceLogs, query: str, classic: str, about: TimeSpan, limit: int
) -> ComponentReply:
    """Run `query` in the workspace of a component.

    If the workspace is not accessible, or does not have the tables that the query names, run `classic` (the query with
    classic names) through the component instead.
    """
    with suppress(_NotInWorkspaceError):
        return ComponentReply(await _in_workspace(azure, source, query, about, limit), is_classic=False)
    return ComponentReply(await found_by(azure, source, classic, about, limit), is_classic=True)


async def _in_workspace(azure: Azure, source: ResourceLogs, query: str, about: TimeSpan, limit: int) -> LogRows:
    try:
        return await found_by(azure, ResourceLogs(ResourceId.of(source.workspace)), query, about, limit)
    except AzureRefusal as refusal:
        if refusal.status not in _NOT_PERMITTED and _UNRESOLVED not in refusal.message:
            raise
        raise _NotInWorkspaceError from refusal
    except Refusal as refusal:
        # The workspace is outside the scope that the settings allow.
        raise _NotInWorkspaceError from refusal
