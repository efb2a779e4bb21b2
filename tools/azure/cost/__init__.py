"""The toolset `cost`: spending, forecasts, comparisons and budgets. It changes nothing."""

from __future__ import annotations

from typing import Final

from tools.azure.cost import budgets, comparing, forecasts, spending

parts: Final = (spending.part, comparing.part, forecasts.part, budgets.part)
