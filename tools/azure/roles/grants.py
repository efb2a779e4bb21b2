"""A role assignment to create or remove: what it permits, and what makes it risky."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from clients.answers import Json, at
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.permissions import Permissions
from refusal import Refusal
from tools.azure.roles.definitions import Definition, key_of
from tools.azure.roles.recipients import Recipient
from tools.azure.shared.principals import principal_of
from tools.azure.shared.rights import HERE, VERSION, in_words
from tools.azure.shared.scopes import short_scope

OWNER: Final = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
_MOST: Final = 2000
_NAMES: Final[UUID] = uuid5(NAMESPACE_URL, "roleAssignments of Azure Team MCP")
# Users with these roles can give permissions to everyone.
_GRAVE: Final = frozenset(
    {OWNER, "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", "f58310d9-a9f6-439a-9e8d-f62e7b41a168"},
)
_OF_RIGHTS: Final = "microsoft.authorization/"
_READING: Final = "/read"
_IN_A_GROUP: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The principal, role and scope of an assignment.

    The name of a temporary assignment also depends on the end of the assignment. Removing the assignment therefore
    affects no other assignment.
    """

    scope: ResourceId
    role: Definition
    who: Recipient
    until: datetime | None = None
    condition: str = ""
    description: str = ""

    @property
    def name(self) -> str:
        """The name of the assignment. A repeated call finds the existing assignment, because the name is derived from
        the content of the assignment.
        """
        ends = self.until.isoformat() if self.until else ""
        return str(uuid5(_NAMES, f"{self.scope.key}|{self.role.key}|{self.who.id}|{ends}"))

    @property
    def id(self) -> ResourceId:
        return ResourceId.of(f"{self.scope.text}{HERE}/roleAssignments/{self.name}")

    @property
    def properties(self) -> Json:
        conditional = {"condition": self.condition, "conditionVersion": "2.0"} if self.condition else {}
        return {
            "roleDefinitionId": self.role_id,
            "principalId": self.who.id,
            **conditional,
        }

    @property
    def role_id(self) -> str:
        """The id of the role as Azure stores it. Above subscriptions, the id does not contain a
        subscription.
        """
        place = f"/subscriptions/{self.scope.subscription}" if self.scope.subscription else ""
        return f"{place}{HERE}/roleDefinitions/{self.role.key}"

    @property
    def body(self) -> Json:
        kind = {"principalType": self.who.kind} if self.who.kind else {}
        said = {"description": self.description} if self.description else {}
        return {"properties": {**self.properties, **kind, **said}}

    @property
    def look(self) -> str:
        """The call that shows the result."""
        return f"list_role_assignments(resource={self.scope.text!r}, role={self.role.name!r})"

    def is_given_by(self, record: Json) -> bool:
        """Check whether an existing assignment is for this role, principal and exact scope."""
        where = str(at(record, "properties.scope") or "").rstrip("/").lower()
        role = key_of(str(at(record, "properties.roleDefinitionId")))
        return where == self.scope.key and role == self.role.key and self._is_theirs(record)

    def _is_theirs(self, record: Json) -> bool:
        return str(at(record, "properties.principalId")).lower() == self.who.id

    async def existing(self, azure: Azure) -> Json | None:
        """Return the assignment with the same principal, role and scope, if any. Azure allows no duplicates."""
        query = {"$filter": f"principalId eq '{self.who.id}'"}
        page = await azure.page(
            of_id("GET", self.scope, f"{HERE}/roleAssignments", query=query, version=VERSION), _MOST
        )
        if page.has_more:
            raise Refusal(
                f"The principal has more than {_MOST} roles at this scope, which is more than this tool can search."
            )
        return next((one for one in page.items if self.is_given_by(one)), None)


def permitted_in_words(permissions: Permissions) -> list[str]:
    """Describe what a role permits."""
    said = in_words(permissions)
    grants = ["assigns roles to others"] if said["grant_roles"] else []
    named = {
        "only": said["only"],
        "but not": said["but_not"],
        "data": said["data"],
        "but not data": said["data_but_not"],
    }
    listed = [f"{name}: {_listed(value)}" for name, value in named.items() if value and value != "none"]
    return [f"reads {said['read']}", f"changes {said['change']}", *grants, *listed]


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def why_grave(grant: Grant, identities: Iterable[str]) -> str:
    """Return why another person has to approve the change.

    `identities` are the ids of the caller and of the caller's groups.
    """
    reasons = list(_reasons(grant, {one.lower() for one in identities}))
    return f"{'. '.join(reasons)}." if reasons else ""


def _reasons(grant: Grant, own: set[str]) -> Iterator[str]:
    if why := why_powerful(grant.role):
        yield why
    if len(grant.scope.segments) < _IN_A_GROUP or not grant.scope.group:
        yield f"The role applies to all of {short_scope(grant.scope.text)}"
    if grant.who.id in own:
        yield "The role is for the requester, or for a group that the requester is in"


def why_powerful(role: Definition) -> str:
    """Return why a role is privileged, or an empty text."""
    if role.key in _GRAVE:
        return f"{role.name} can give roles to anyone"
    return why_strong(role.permissions)


def why_strong(permissions: Permissions) -> str:
    patterns = [*permissions.actions, *permissions.data_actions]
    if "*" in patterns:
        return "The role permits everything (*)"
    if permissions.is_granting:
        return "The role lets its holders assign roles"
    of_rights = [one for one in patterns if one.lower().startswith(_OF_RIGHTS) and not one.lower().endswith(_READING)]
    return f"The role permits changing permissions ({', '.join(of_rights)})" if of_rights else ""


def owners_but(records: Iterable[Json], without: str) -> list[tuple[str, str]]:
    """Return the principals to whom these assignments give the role Owner.

    `without` is the id of an assignment to ignore, in lowercase.
    """
    return [
        principal_of(at(one, "properties") or {})
        for one in records
        if key_of(str(at(one, "properties.roleDefinitionId"))) == OWNER and str(one.get("id")).lower() != without
    ]
