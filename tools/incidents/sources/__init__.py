"""Who tells what happened: each source with the tool that a caller would read it by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Source:
    """Whoever may not call the tool gets nothing of it here either."""

    name: str
    toolset: str
    tool: str


CHANGES: Final = Source("resource_changes", "resource", "list_resource_changes")
DEPLOYMENTS: Final = Source("template_deployments", "resource", "list_azure_deployments")
ACTIVITY: Final = Source("activity_log", "monitor", "list_activity_log")
HEALTH: Final = Source("resource_health", "monitor", "show_resource_health")
SERVICE_HEALTH: Final = Source("service_health", "monitor", "list_service_health_events")
ALERTS: Final = Source("alerts", "monitor", "list_fired_alerts")
APPS: Final = Source("app_deployments", "apps", "list_app_deployments")
VAULTS: Final = Source("key_vaults", "keyvault", "list_expiring_secrets")
DATES: Final = Source("resource_dates", "resource", "show_resource")
RETIREMENTS: Final = Source("retirements", "advisor", "list_retiring_resources")
BUILDS: Final = Source("azure_devops_builds", "devops-builds", "list_builds")
PIPELINES: Final = Source("azure_devops_pipelines", "devops-builds", "list_build_definitions")
RELEASES: Final = Source("azure_devops_releases", "devops-releases", "list_releases")
RELEASE_DEFINITIONS: Final = Source("azure_devops_release_definitions", "devops-releases", "list_release_definitions")
PULL_REQUESTS: Final = Source("azure_devops_pull_requests", "devops-pull-requests", "list_pull_requests")
VARIABLES: Final = Source("azure_devops_variables", "devops-variable-groups", "list_variable_groups")
UPDATES: Final = Source("azure_updates", "azure-updates", "search_azure_updates")

OF_AZURE: Final = (CHANGES, DEPLOYMENTS, ACTIVITY, HEALTH, SERVICE_HEALTH, ALERTS, APPS, VAULTS, DATES, RETIREMENTS)
OF_DEVOPS: Final = (BUILDS, PIPELINES, RELEASES, RELEASE_DEFINITIONS, PULL_REQUESTS, VARIABLES)
ALL: Final = (*OF_AZURE, *OF_DEVOPS, UPDATES)
