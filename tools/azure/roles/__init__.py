"""Roles: who has access, through what; what somebody may do; what is in a role; what is denied."""

from __future__ import annotations

from typing import Final

from tools.azure.roles import access, assignments, definitions, denials

parts: Final = (assignments.part, access.part, definitions.part, denials.part)
