"""Apps on App Service, Functions, Container Apps and AKS: how they are, why they are ill, and changing them."""

from __future__ import annotations

from typing import Final

from tools.azure.apps import (
    deployments,
    diagnosis,
    instances,
    listing,
    logs,
    returning,
    running,
    scaling,
    setting,
    showing,
    swapping,
)

parts: Final = (
    *(listing.part, showing.part, deployments.part, instances.part, logs.part, diagnosis.part),
    *(running.part, scaling.part, swapping.part, setting.part, returning.part),
)
