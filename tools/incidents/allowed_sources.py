"""Decides which event sources a caller may query, and in which scope. A caller may query a source if the caller's roles
allow the tool that reads this source directly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from identity.access import Access
from incidents.event_sources import ALL, EventSource
from mcp_server.view import why_absent
from mcp_server.visit import Context, Visit
from refusal import Refusal
from tools.azure.access import AZURE
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_devops.access import OrganizationRequest as DevOpsAsked
from tools.azure_updates.access import UPDATES

if TYPE_CHECKING:
    from clients.azure.client import Azure
    from clients.azure_devops.client import AzureDevOps
    from updates.library import UpdatesLibrary

_FINDING = ("resource", "show_resource")


@dataclass(slots=True)
class Permitted:
    """The event sources that can be queried, and the reasons why other sources cannot be queried."""

    context: Context
    open: list[EventSource] = field(default_factory=list)
    closed: list[EventSource] = field(default_factory=list)
    absent: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context) -> Permitted:
        """Check all sources.

        Raises:
            Refusal: The caller is not allowed to read resources.
        """
        found = cls(context)
        if not found._visit.view.opens(*_FINDING):
            raise Refusal("Finding the resource requires the toolset `resource`, which you cannot use.")
        for source in ALL:
            found._sort(source)
        return found

    def _sort(self, source: EventSource) -> None:
        view = self._visit.view
        if view.opens(source.toolset, source.tool):
            self.open.append(source)
        elif lacking := why_absent(source.toolset, view.absent):
            self.absent.setdefault(lacking, []).append(source.name)
        else:
            self.closed.append(source)

    @property
    def _visit(self) -> Visit:
        return self.context.visit

    async def azure(self) -> Azure:
        return (await AZURE.of(self.context)).client(self._visit.caller)

    async def devops(self, source: EventSource) -> AzureDevOps:
        """Return access to Azure DevOps, limited to the scope in which the caller may use this source's tool."""
        visit = self._visit
        reach = visit.grants.reach(source.toolset, source.tool, Access.READ)
        return (await AZURE_DEVOPS.of(self.context)).client(DevOpsAsked(visit.caller, None, reach))

    async def updates(self) -> UpdatesLibrary:
        return (await UPDATES.of(self.context)).library
