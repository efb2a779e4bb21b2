"""The toolset `quota`: limits and usage by region, and whether virtual machines fit within the limits."""

from __future__ import annotations

from typing import Final

from tools.azure.quota import fitting, limits

parts: Final = (limits.part, fitting.part)
