"""Azure Advisor: recommendations, retirements and scores."""

from __future__ import annotations

from typing import Final

from tools.azure.advisor import recommendations, retirements, scores

parts: Final = (recommendations.part, retirements.part, scores.part)
