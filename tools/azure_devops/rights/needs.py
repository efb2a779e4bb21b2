"""A permission that a change requires on a resource. If several permissions are listed, one of them is sufficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clients.azure_devops.permissions import Right
from tools.azure_devops.rights.permissions import DevOpsPermission
from tools.azure_devops.rights.things import Thing

_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class PermissionNeed:
    permissions: Sequence[DevOpsPermission]
    thing: Thing
    # The ids of users who do not need the permission.
    exempt: frozenset[str] = frozenset()

    @property
    def rights(self) -> list[Right]:
        """The rights that permit the action: the caller needs at least one of them."""
        return [Right(one.namespace, one.bit, self.thing.token) for one in self.permissions]

    @property
    def words(self) -> str:
        """A phrase that names the required permission, and the group that has this permission by default."""
        names = " or ".join(f"{one.name!r}" for one in self.permissions)
        group = next((one.group for one in self.permissions if one.group), "")
        thing, project = _in_brief(self.thing.name), _in_brief(self.thing.project)
        has = (
            f"by default, the group {group} of the project {project} has this permission"
            if group
            else f"no group has this permission by default, but the group Project Administrators of the project"
            f" {project} can grant it"
        )
        return f"the change requires the permission {names} on {thing} ({has})"


def on(thing: Thing, *permissions: DevOpsPermission) -> PermissionNeed:
    return PermissionNeed(permissions, thing)


def _in_brief(name: str) -> str:
    """Put a user-written name on one line and shorten it, so that it cannot be mistaken for text from this server."""
    text = " ".join(name.split())
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
