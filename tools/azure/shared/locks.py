"""Azure locks. A lock applies to its scope and everything in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal, in_its_words
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from refusal import Refusal
from tools.azure.shared.answers import at

Effect = Literal["change", "delete"]

LOCKS: Final = "/providers/Microsoft.Authorization/locks"
LOCKS_VERSION: Final = "2020-05-01"
_MOST: Final = 500
_NAMED: Final = 5
_LONGEST_NOTES: Final = 300
_FORBIDS: Final = {"cannotdelete": "deletion", "readonly": "any change"}
_RIGHTS: Final = "microsoft.authorization/locks"


@dataclass(frozen=True, slots=True)
class ResourceLock:
    """A lock. `place` is the normalized id of the locked scope; `id` is the id of the lock."""

    id: str
    name: str
    level: str
    notes: str
    place: str

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Self:
        """Parse a lock from Azure."""
        own = str(entry.get("id") or "")
        level, notes = (str(at(entry, f"properties.{name}") or "") for name in ("level", "notes"))
        return cls(own, str(entry.get("name") or ""), level, notes, own.lower().rpartition(LOCKS.lower())[0])

    @property
    def where(self) -> str:
        """The id of the locked scope, as Azure returned it."""
        return self.id[: len(self.place)]

    @property
    def forbids(self) -> str:
        return _FORBIDS.get(self.level.lower(), "")

    def holds(self, resource: ResourceId, effect: Effect) -> bool:
        """Check whether the lock prevents a change or a deletion of a resource."""
        if resource.type.lower() == _RIGHTS:
            return False  # a lock does not protect itself; otherwise, it could never be deleted
        is_over = resource.key == self.place or resource.key.startswith(f"{self.place}/")
        if effect == "change":
            return is_over and self.level.lower() == "readonly"
        return is_over or self.place.startswith(f"{resource.key}/")

    @property
    def text(self) -> str:
        return f"{self.name!r} ({self.level}) on {self.where}. {in_its_words(self.notes[:_LONGEST_NOTES])}".strip()


async def locks_around(azure: Azure, scope: ResourceId) -> tuple[list[ResourceLock], bool]:
    """Return all locks that affect a scope: locks on the scope itself, inherited locks, and locks on the contents.

    Also return whether the list is complete.
    """
    page = await azure.page(of_id("GET", scope, LOCKS, version=LOCKS_VERSION), _MOST)
    return [ResourceLock.of(one) for one in page.items], not page.has_more


async def locks_at(azure: Azure, resource: ResourceId) -> tuple[list[ResourceLock], bool]:
    """Return the locks that affect a resource.

    If the resource does not exist yet, return the locks that affect its group.
    """
    try:
        return await locks_around(azure, resource)
    except AzureRefusal as refusal:
        if refusal.status != 404 or not resource.group or resource.type.lower().endswith("/resourcegroups"):
            raise
    return await locks_around(azure, ResourceId(resource.segments[:4]))


def refuse_locked(locks: Iterable[ResourceLock], resources: Sequence[ResourceId], effect: Effect) -> None:
    """Refuse a change that a lock prevents, before the change is sent."""
    blocking = sorted({lock.id: lock for lock in locks if any(lock.holds(one, effect) for one in resources)}.items())
    if not blocking:
        return
    named = " ".join(lock.text for _, lock in blocking[:_NAMED])
    more = f" {len(blocking) - _NAMED} more locks apply." if len(blocking) > _NAMED else ""
    raise Refusal(
        f"Nothing was done. Cannot {effect} the resource because of these locks: {named}{more} Ask the user before"
        " removing a lock; delete_resource_lock requires 'Owner' or 'User Access Administrator' on the locked scope."
    )
