"""Apps on App Service, Functions, Container Apps and AKS: how they are, what was deployed, why they are ill."""

from __future__ import annotations

from typing import Final

from tools.azure.apps import deployments, diagnosis, instances, listing, logs, showing

parts: Final = (listing.part, showing.part, deployments.part, instances.part, logs.part, diagnosis.part)
