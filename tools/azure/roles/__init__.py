"""Roles: who has access, through what; what somebody may do; what is in a role; what is denied; and changing that."""

from __future__ import annotations

from typing import Final

from tools.azure.roles import access, assigning, assignments, custom_roles, definitions, denials, removing

parts: Final = (
    assignments.part,
    access.part,
    definitions.part,
    denials.part,
    assigning.part,
    removing.part,
    custom_roles.part,
)
