"""Costs: spending, forecasts, comparisons and budgets. Read-only."""

from __future__ import annotations

from typing import Final

from tools.azure.cost import budgets, comparing, forecasts, spending

parts: Final = (spending.part, comparing.part, forecasts.part, budgets.part)
