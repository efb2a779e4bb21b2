"""The sources of events, and the tool that reads each source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class EventSource:
    """A source of events. Callers get the events of a source only if they may call the source's tool."""

    name: str
    toolset: str
    tool: str


CHANGES: Final = EventSource("resource_changes", "resource", "list_resource_changes")
DEPLOYMENTS: Final = EventSource("template_deployments", "resource", "list_azure_deployments")
ACTIVITY: Final = EventSource("activity_log", "monitor", "list_activity_log")
HEALTH: Final = EventSource("resource_health", "monitor", "show_resource_health")
SERVICE_HEALTH: Final = EventSource("service_health", "monitor", "list_service_health_events")
ALERTS: Final = EventSource("alerts", "monitor", "list_fired_alerts")
APPS: Final = EventSource("app_deployments", "apps", "list_app_deployments")
VAULTS: Final = EventSource("key_vaults", "keyvault", "list_expiring_secrets")
DATES: Final = EventSource("resource_dates", "resource", "show_resource")
RETIREMENTS: Final = EventSource("retirements", "advisor", "list_retiring_resources")
BUILDS: Final = EventSource("azure_devops_builds", "devops-builds", "list_builds")
PIPELINES: Final = EventSource("azure_devops_pipelines", "devops-builds", "list_build_definitions")
RELEASES: Final = EventSource("azure_devops_releases", "devops-releases", "list_releases")
RELEASE_DEFINITIONS: Final = EventSource(
    "azure_devops_release_definitions", "devops-releases", "list_release_definitions"
)
PULL_REQUESTS: Final = EventSource("azure_devops_pull_requests", "devops-pull-requests", "list_pull_requests")
VARIABLES: Final = EventSource("azure_devops_variables", "devops-variable-groups", "list_variable_groups")
UPDATES: Final = EventSource("azure_updates", "azure-updates", "search_azure_updates")

OF_AZURE: Final = (CHANGES, DEPLOYMENTS, ACTIVITY, HEALTH, SERVICE_HEALTH, ALERTS, APPS, VAULTS, DATES, RETIREMENTS)
OF_DEVOPS: Final = (BUILDS, PIPELINES, RELEASES, RELEASE_DEFINITIONS, PULL_REQUESTS, VARIABLES)
ALL: Final = (*OF_AZURE, *OF_DEVOPS, UPDATES)
