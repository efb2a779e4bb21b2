"""Stops a deployment to a cloud other than Azure's public cloud.

Other clouds lack some services that the template uses.
"""

from __future__ import annotations

import azd
from cannot_go_on import CannotGoOnError
from hook import Deployment

PUBLIC = "AzureCloud"
SOVEREIGN_REGIONS = ("china", "usdod", "usgov", "ussec", "usnat")


def check_cloud(deployment: Deployment) -> None:
    cloud = azd.config("cloud.name") or PUBLIC
    region = deployment.value("AZURE_LOCATION").replace(" ", "").lower()
    if cloud != PUBLIC or region.startswith(SOVEREIGN_REGIONS):
        where = cloud if cloud != PUBLIC else region
        raise CannotGoOnError(f"This template supports only Azure's public cloud, which does not include {where}.")
