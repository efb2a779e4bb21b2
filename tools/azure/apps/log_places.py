"""Finds where the logs of an app are stored, and the queries that read the logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clients.answers import at
from clients.azure.apps import parts
from clients.azure.apps.finding import AzureApp
from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.named import Record

_OF_SITES: Final[Mapping[str, str]] = {
    "console": "AppServiceConsoleLogs | where _ResourceId =~ {id} | project TimeGenerated, Level, ResultDescription",
    "http_errors": "AppServiceHTTPLogs | where _ResourceId =~ {id} and ScStatus >= 500"
    " | project TimeGenerated, CsMethod, CsUriStem, ScStatus, TimeTaken",
}
_OF_FUNCTIONS: Final[Mapping[str, str]] = {
    "errors": "FunctionAppLogs | where _ResourceId =~ {id} and Level in ('Error', 'Critical')"
    " | project TimeGenerated, FunctionName, Level, Message",
}
_OF_CLUSTERS: Final[Mapping[str, str]] = {
    "console": "ContainerLogV2 | where _ResourceId =~ {id} | project TimeGenerated, PodNamespace, PodName, LogMessage",
    "events": "KubeEvents | where _ResourceId =~ {id} and KubeEventType != 'Normal'"
    " | project TimeGenerated, Namespace, Name, Reason, Message",
}
_OF_CONTAINERS: Final[Mapping[str, str]] = {
    "console": "ContainerAppConsoleLogs | where ContainerAppName == {name}"
    " | project TimeGenerated, RevisionName, ContainerName, Log",
    "system": "ContainerAppSystemLogs | where ContainerAppName == {name}"
    " | project TimeGenerated, RevisionName, Reason, Log",
}
# The table names for environments that send logs directly to a workspace.
_OF_CONTAINERS_DIRECTLY: Final[Mapping[str, str]] = {
    "console": "ContainerAppConsoleLogs_CL | where ContainerAppName_s == {name}"
    " | project TimeGenerated, RevisionName_s, ContainerName_s, Log_s",
    "system": "ContainerAppSystemLogs_CL | where ContainerAppName_s == {name}"
    " | project TimeGenerated, RevisionName_s, Reason_s, Log_s",
}
_DIRECTLY: Final = "log-analytics"
_WORKSPACE: Final = "Microsoft.OperationalInsights/workspaces"


@dataclass(frozen=True, slots=True)
class LogPlaces:
    """The workspaces that store an app's logs, and the queries that read those logs."""

    workspaces: list[str]
    queries: Mapping[str, str] = field(default_factory=dict)


async def log_places(azure: Azure, app: AzureApp) -> LogPlaces:
    if app.is_container_app:
        return await _of_container_app(azure, app)
    workspaces = await _workspaces_of(azure, app.id)
    if app.is_site:
        return _with_queries(app, workspaces, _OF_FUNCTIONS if app.kind == "function app" else _OF_SITES)
    addon = at(app.properties, "addonProfiles.omsagent.config.logAnalyticsWorkspaceResourceID")
    return _with_queries(app, list(dict.fromkeys([*([str(addon)] if addon else []), *workspaces])), _OF_CLUSTERS)


async def _of_container_app(azure: Azure, app: AzureApp) -> LogPlaces:
    """Return where the logs of a container app are stored. An environment has one setting for the logs of all its
    apps.
    """
    text = str(app.properties.get("managedEnvironmentId") or app.properties.get("environmentId"))
    environment = await parts.environment(azure, text)
    logs = at(environment, "properties.appLogsConfiguration") or {}
    if logs.get("destination") == _DIRECTLY:
        customer = str(at(logs, "logAnalyticsConfiguration.customerId") or "")
        return _with_queries(app, [await _workspace(azure, customer)] if customer else [], _OF_CONTAINERS_DIRECTLY)
    return _with_queries(app, await _workspaces_of(azure, ResourceId.of(text)), _OF_CONTAINERS)


async def _workspace(azure: Azure, customer: str) -> str:
    """Return the resource id of the workspace that has this customer id. If there is no such workspace, return the
    customer id itself.
    """
    subscriptions = [one.id for one in await azure.subscriptions()]
    test = f"where type =~ {text_of(_WORKSPACE)} and properties.customerId =~ {text_of(customer)}"
    rows = await rows_of(azure.send, ready_made(subscriptions, "resources", test, "project id"), 1)
    return str(rows.items[0].get("id")) if rows.items else customer


async def _workspaces_of(azure: Azure, place: ResourceId) -> list[str]:
    found = (await parts.diagnostics(azure, place)).items
    return list(dict.fromkeys(str(at(one, "properties.workspaceId")) for one in found if _keeps_logs(one)))


def _keeps_logs(setting: Record) -> bool:
    logs: Any = at(setting, "properties.logs") or ()
    return bool(at(setting, "properties.workspaceId")) and any(at(one, "enabled") for one in logs)


def _with_queries(app: AzureApp, workspaces: list[str], queries: Mapping[str, str]) -> LogPlaces:
    values = {"id": text_of(app.id.text), "name": text_of(app.id.name)}
    return LogPlaces(workspaces, {name: query.format_map(values) for name, query in queries.items() if workspaces})
