"""Azure Policy: what does not comply and why, which policies hold, and what is exempt."""

from __future__ import annotations

from typing import Final

from tools.azure.policy import assigned, compliance, exempt

parts: Final = (compliance.part, assigned.part, exempt.part)
