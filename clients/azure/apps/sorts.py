"""The Azure services that run apps, each with its resource type and API version."""

from __future__ import annotations

from typing import Final

from clients.azure.named import Sort

SITE: Final = Sort("Microsoft.Web/sites", "2023-12-01", "web or function app")
SLOT: Final = Sort("Microsoft.Web/sites/slots", "2023-12-01", "deployment slot")
PLAN: Final = Sort("Microsoft.Web/serverfarms", "2023-12-01", "App Service plan")
CONTAINER_APP: Final = Sort("Microsoft.App/containerApps", "2025-01-01", "container app")
ENVIRONMENT: Final = Sort("Microsoft.App/managedEnvironments", "2025-01-01", "Container Apps environment")
CLUSTER: Final = Sort("Microsoft.ContainerService/managedClusters", "2025-08-01", "AKS cluster")
APPS: Final = (SITE, SLOT, CONTAINER_APP, CLUSTER)
