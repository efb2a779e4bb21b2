"""The toolset `advisor`: recommendations, retirements and scores of Azure Advisor."""

from __future__ import annotations

from typing import Final

from tools.azure.advisor import recommendations, retirements, scores

parts: Final = (recommendations.part, retirements.part, scores.part)
