"""What every source of Azure is asked with."""

from __future__ import annotations

from dataclasses import dataclass

from clients.azure.client import Azure
from tools.incidents.neighbourhood import Neighbourhood
from tools.incidents.patience import Patience
from tools.incidents.question import IncidentQuestion


@dataclass(frozen=True, slots=True)
class Inquiry:
    azure: Azure
    asked: IncidentQuestion
    around: Neighbourhood
    patience: Patience
