"""Costs: what was spent, what is to come, what got dearer, and how far budgets are. Nothing here changes any of it."""

from __future__ import annotations

from typing import Final

from tools.azure.cost import budgets, comparing, forecasts, spending

parts: Final = (spending.part, comparing.part, forecasts.part, budgets.part)
