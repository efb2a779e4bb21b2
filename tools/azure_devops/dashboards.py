"""Shows dashboards and their widgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, every, one, present, shape
from tools.azure_devops.shared.parameters import Detail, Project

part = Part()

VERSION: Final = "7.1-preview.3"
_DASHBOARD: Final = shape("id", "name", "description", scope="dashboardScope", refreshes="refreshInterval")
_WIDGET: Final = shape("id", "name", "settings")

OneTeam = Annotated[str | None, Field(description="Name or id")]


@part.tool(Access.READ, harmless=("project", "team"))
async def list_dashboards(devops: DevOps, project: Project = None, team: OneTeam = None) -> Json:
    """List the dashboards of a project, or of a team."""
    place = {"project": devops.project(project), "team": team}
    request = DevOpsRequest("GET /{project}/{team}/_apis/dashboard/dashboards", place, version=VERSION)
    return every((await devops.json(request))["value"], _DASHBOARD)


@part.tool(Access.READ, harmless=("project", "team", "dashboardId"))
async def get_dashboard(
    devops: DevOps,
    dashboardId: Annotated[str, Field(min_length=1, description="From list_dashboards")],
    project: Project = None,
    team: OneTeam = None,
    detail: Detail = "summary",
) -> Json:
    """Get a dashboard with its widgets."""
    place = {"project": devops.project(project), "team": team, "dashboardId": dashboardId}
    line = "GET /{project}/{team}/_apis/dashboard/dashboards/{dashboardId}"
    return one(await devops.json(DevOpsRequest(line, place, version=VERSION)), _whole, detail)


def _whole(dashboard: Mapping[str, Any]) -> Json:
    return present({**_DASHBOARD(dashboard), "widgets": [_widget(widget) for widget in dashboard["widgets"]]})


def _widget(widget: Mapping[str, Any]) -> Json:
    """Return a widget. The widget's `kind` is the last part of its type name."""
    return _WIDGET(widget) | {"kind": widget["contributionId"].rpartition(".")[2]}
