"""The inputs that every Azure event source receives."""

from __future__ import annotations

from dataclasses import dataclass

from clients.azure.client import Azure
from incidents.neighbourhood import Neighbourhood
from incidents.patience import Patience
from incidents.question import IncidentQuestion


@dataclass(frozen=True, slots=True)
class Inquiry:
    azure: Azure
    asked: IncidentQuestion
    around: Neighbourhood
    patience: Patience
