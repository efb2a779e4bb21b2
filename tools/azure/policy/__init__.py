"""The toolset `policy`: violations of Azure Policy and their reasons, assignments, and exemptions."""

from __future__ import annotations

from typing import Final

from tools.azure.policy import assigned, compliance, exempt

parts: Final = (compliance.part, assigned.part, exempt.part)
