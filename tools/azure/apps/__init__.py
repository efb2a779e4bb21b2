"""The toolset `apps`: shows, diagnoses and changes apps on App Service, Functions, Container Apps and AKS."""

from __future__ import annotations

from typing import Final

from tools.azure.apps import (
    app_settings,
    app_status,
    deployments,
    diagnosis,
    instances,
    listing,
    logs,
    rollback,
    running,
    scaling,
    swapping,
)

parts: Final = (
    *(listing.part, app_status.part, deployments.part, instances.part, logs.part, diagnosis.part),
    *(running.part, scaling.part, swapping.part, app_settings.part, rollback.part),
)
