"""The toolset `roles`: who has access and why, what a user can do, role definitions, deny assignments, and changes."""

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
