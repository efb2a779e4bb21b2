"""Decides which sources the server may read for a caller. A source may be read if the caller may call the tool that
shows this source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from clients.answers import Json, present
from mcp_server.view import why_absent
from mcp_server.visit import Context
from retirements.advised import ADVISOR, SERVICE_HEALTH
from retirements.assessment import GRAPH
from retirements.planned_work import WORK_ITEMS

UPDATES: Final = "Azure updates"
WORK_ITEM_TOOL: Final = ("devops-work-items", "query_work_items")
# For each source: the toolset and tool with which a caller can read the source directly.
_TOOLS: Final = {
    UPDATES: ("azure-updates", "search_azure_updates"),
    GRAPH: ("resource", "list_resources"),
    ADVISOR: ("advisor", "list_retiring_resources"),
    SERVICE_HEALTH: ("monitor", "list_service_health_events"),
    WORK_ITEMS: WORK_ITEM_TOOL,
}


@dataclass(slots=True)
class PermittedSources:
    """The allowed sources. `closed` contains the sources that no role of the caller allows. `absent` contains the
    sources that are not configured, with explanations.
    """

    context: Context
    open: set[str] = field(default_factory=set)
    closed: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, context: Context) -> PermittedSources:
        found, view = cls(context), context.visit.view
        for name, (toolset, tool) in _TOOLS.items():
            if view.opens(toolset, tool):
                found.open.add(name)
            elif lacking := why_absent(toolset, view.absent):
                found.absent.append(f"{name}: {lacking}")
            else:
                found.closed.append(name)
        return found

    @property
    def said(self) -> Json:
        return present({"notGranted": self.closed, "notConfigured": self.absent})
