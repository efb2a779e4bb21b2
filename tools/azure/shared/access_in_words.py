"""Describes in words who gets which access, because Azure and templates contain only ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.answers import at
from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.ids import ResourceId, is_guid
from clients.azure.messages import of_id
from clients.azure.what_if.values import NOT_KNOWN_YET
from clients.side_by_side import side_by_side
from refusal import Refusal
from tools.azure.shared.rights import HERE, VERSION

# Maps the ids of important built-in roles to their names. These names are known even if role definitions are not
# readable.
_ROLES: Final = {
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635": "Owner",
    "b24988ac-6180-42a0-ab88-20f7382dd24c": "Contributor",
    "acdd72a7-3385-48ef-bd42-f606fba81ae7": "Reader",
    "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9": "User Access Administrator",
    "f58310d9-a9f6-439a-9e8d-f62e7b41a168": "Role Based Access Control Administrator",
}
_ASSIGNMENTS: Final = frozenset(
    {"microsoft.authorization/roleassignments", "microsoft.documentdb/databaseaccounts/sqlroleassignments"}
)
_KINDS: Final = {"serviceprincipal": "service principal", "foreigngroup": "group from another directory"}
_GUEST: Final = "#ext#"
_NEW: Final = "new to this subscription"
_ABSENT: Final = "not in the directory"
_MOST: Final = 20
_SECONDS: Final = 10.0
_MOST_PERMISSIONS: Final = 6


@dataclass(frozen=True, slots=True)
class AccessNames:
    """Maps the ids of roles and principals to their names."""

    roles: Mapping[str, str] = field(default_factory=lambda: dict(_ROLES))
    names: Mapping[str, str] = field(default_factory=dict)
    # What approvers must notice: principals that had no access before, guests, and unknown ids.
    strange: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def assignment(self, document: Mapping[str, Any]) -> str:
        """Describe a role assignment: "role Owner for a user new to this subscription: Ada (ada@example.com)"."""
        role, (principal, kind) = _role_in(document), _principal_in(document)
        return f"role {self.roles.get(role, role)} for {self._principal(principal, kind)}"

    def policy(self, document: Mapping[str, Any]) -> str:
        """Describe an access policy of a key vault: "secrets get, list for the user Ada (ada@example.com)"."""
        permissions = document.get("permissions")
        listed = permissions.items() if isinstance(permissions, Mapping) else ()
        allowed = [f"{name} {_listed(verbs)}" for name, verbs in listed if isinstance(verbs, list) and verbs]
        return f"{'; '.join(allowed)} for {self._principal(str(document.get('objectId') or '').lower(), 'principal')}"

    def _principal(self, principal: str, kind: str) -> str:
        if principal == NOT_KNOWN_YET or not principal:
            return f"a {kind} whose id is known only after deployment"
        name, strange = self.names.get(principal, principal), self.strange.get(principal, ())
        return f"a {kind} {' and '.join(strange)}: {name}" if strange else f"the {kind} {name}"


def _listed(verbs: Sequence[Any]) -> str:
    more = len(verbs) - _MOST_PERMISSIONS
    return ", ".join(map(str, verbs[:_MOST_PERMISSIONS])) + (f" and {more} more" if more > 0 else "")


def _role_in(document: Mapping[str, Any]) -> str:
    return str(at(document, "properties.roleDefinitionId") or "").rpartition("/")[2].lower()


def _principal_in(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return the id and kind of a principal."""
    kind = str(at(document, "properties.principalType") or "principal").lower()
    return str(at(document, "properties.principalId") or "").lower(), _KINDS.get(kind, kind)


async def access_names(azure: Azure, documents: Iterable[Mapping[str, Any]], place: ResourceId) -> AccessNames:
    """Look up the names that belong to the ids in these assignments and policies. The result omits names that the
    caller cannot look up.
    """
    found = list(documents)
    roles = {role for one in found if is_guid(role := _role_in(one))} - _ROLES.keys()
    people = {_principal_in(one)[0] or str(one.get("objectId") or "").lower() for one in found}
    looking = _Looking(azure, ResourceId(place.segments[:2]))
    await looking.read(sorted(roles)[:_MOST], sorted(filter(is_guid, people))[:_MOST])
    return AccessNames({**_ROLES, **looking.roles}, looking.names, looking.strange)


async def assignment_in_words(azure: Azure, resource: ResourceId, document: Mapping[str, Any]) -> str:
    """Describe who gets which role through a role assignment. Return an empty string for any other resource."""
    if resource.type.lower() not in _ASSIGNMENTS or not _role_in(document):
        return ""
    return (await access_names(azure, [document], resource)).assignment(document)


class _Looking:
    def __init__(self, azure: Azure, subscription: ResourceId) -> None:
        self.roles: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.strange: dict[str, list[str]] = {}
        self._azure, self._subscription = azure, subscription

    async def read(self, roles: Sequence[str], people: Sequence[str]) -> None:
        asking = {**dict.fromkeys(roles, self._read_role), **dict.fromkeys(people, self._read_standing)}

        async def ask(name: str) -> None:
            await asking[name](name)

        if people:
            await self._read_names(people)
        await side_by_side({name: name for name in asking}, ask, seconds=_SECONDS)

    async def _read_role(self, role: str) -> None:
        request = of_id("GET", self._subscription, f"{HERE}/roleDefinitions/{role}", version=VERSION)
        self.roles[role] = str(at(await self._azure.json(request), "properties.roleName") or role)

    async def _read_standing(self, principal: str) -> None:
        """Mark a principal as new if it has no role in the subscription yet, neither directly nor through a group."""
        query = {"$filter": f"assignedTo('{principal}')"}
        request = of_id("GET", self._subscription, f"{HERE}/roleAssignments", query=query, version=VERSION)
        if not (await self._azure.page(request, 1)).items:
            self.strange.setdefault(principal, []).append(_NEW)

    async def _read_names(self, people: Sequence[str]) -> None:
        if not self._azure.reads_directory:
            return
        try:
            known = await directory.by_ids(self._azure, people)
        except Refusal:
            # Principals without a known name are shown by id, which administrators recognize.
            return
        for one in people:
            entry = known.get(one)
            self.names[one] = one if entry is None else f"{entry.name} ({entry.sign_in or one})"
            strange = _ABSENT if entry is None else "from outside" if _GUEST in entry.sign_in.lower() else ""
            self.strange.setdefault(one, []).extend(filter(None, [strange]))
