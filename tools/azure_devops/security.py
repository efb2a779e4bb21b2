"""Lists alerts of Advanced Security about secrets, dependencies and vulnerable code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Host
from clients.azure_devops.paging import ByToken, ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, one, shape
from tools.azure_devops.shared.git_references import full_name
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project, Repository
from tools.azure_devops.shared.repositories import AnyRepository, KnownRepository, TopEntries, of_all_repositories
from tools.azure_devops.shared.scopes import Projects, place_of_one

part = Part()

AlertType = Literal["secret", "dependency", "code"]
State = Literal["active", "dismissed", "fixed"]

_ALERTS: Final = "/{project}/_apis/alert/repositories/{repository}/alerts"
_VERSION: Final = "7.2-preview.1"
_PAGING: Final = ByToken(top="top")
_LISTED: Final = shape(
    "title",
    "severity",
    "confidence",
    "state",
    id="alertId",
    type="alertType",
    branch="gitRef",
    firstSeen="firstSeenDate",
)
_LOCATION: Final = shape(file="filePath", line="region.lineStart", commit="versionControl.commitHash")
_RULE: Final = shape("description", id="opaqueId", name="friendlyName", advice="resources", help="helpMessage")
_WHOLE: Final = shape(lastSeen="lastSeenDate", fixed="fixedDate", dismissal="dismissal", link="repositoryUrl")


@part.tool(Access.READ, harmless=("project", "repository", "alertType", "state", "branch"))
async def list_security_alerts(
    devops: DevOps,
    repository: AnyRepository = None,
    project: Projects = None,
    alertType: Annotated[AlertType | None, Field(description="Only these")] = None,
    state: Annotated[State | None, Field(description="Only alerts in this state")] = None,
    severity: Annotated[str | None, Field(description="Such as high")] = None,
    branch: Annotated[str | None, Field(description="Default: the default branch")] = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List security alerts. Without `repository`, covers all repositories and lists those without alerts."""
    query = {
        "criteria.alertType": alertType,
        "criteria.states": state,
        "criteria.severities": severity,
        "criteria.ref": full_name(branch) if branch else None,
    }

    async def alerts(place: Json) -> ListPage:
        values = {"project": place["project"], "repository": place["repositoryId"]}
        request = DevOpsRequest(f"GET {_ALERTS}", values, query, host=Host.SECURITY, version=_VERSION)
        page = await devops.page(request, _PAGING, maxResults)
        return ListPage([_LISTED(_without_secret(alert)) for alert in page.items], page.has_more)

    if repository:
        return many(await alerts(place_of_one(devops, project, repository)), dict)

    async def read(known: KnownRepository) -> ListPage:
        return await alerts(known.place)

    return await of_all_repositories(devops, project, read, TopEntries(limit=maxResults, by="firstSeen"))


@part.tool(Access.READ, harmless=("project", "repository", "alertId"))
async def get_security_alert(
    devops: DevOps,
    repository: Repository,
    alertId: Annotated[int, Field(description="Its id")],
    project: Project = None,
    detail: Detail = "summary",
) -> Json:
    """Get a security alert: the problem, its place and how to fix it."""
    place = {"project": devops.project(project), "repository": repository, "alertId": alertId}
    request = DevOpsRequest(f"GET {_ALERTS}/{{alertId}}", place, host=Host.SECURITY, version=_VERSION)
    return one(_without_secret(await devops.json(request)), _shown, detail)


def _shown(alert: Mapping[str, Any]) -> Json:
    tools = alert.get("tools") or ()
    rules = [rule for tool in tools for rule in tool.get("rules") or ()]
    return {
        **_LISTED(alert),
        **_WHOLE(alert),
        "tools": [tool.get("name") for tool in tools],
        "rules": [_RULE(rule) for rule in rules],
        "locations": [_LOCATION(location) for location in alert.get("physicalLocations") or ()],
    }


def _without_secret(alert: Mapping[str, Any]) -> Json:
    """Remove the secret from an alert. No part of the secret is ever shown."""
    return {name: value for name, value in alert.items() if name != "truncatedSecret"}
