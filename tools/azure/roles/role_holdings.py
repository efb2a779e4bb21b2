"""Reads the data for a role change: the scope, the current roles at the scope, and other principals with the role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from changes.preview import Fact
from clients.answers import Json, at
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from refusal import Refusal
from tools.azure.account.who import Identity
from tools.azure.roles.assignments import HeldRole, rights_at
from tools.azure.roles.definitions import key_of
from tools.azure.roles.grants import Grant, permitted_in_words
from tools.azure.roles.parameters import holds_at
from tools.azure.shared.change_places import places_of, unknown_places
from tools.azure.shared.inspecting import Inspected, inspect
from tools.azure.shared.principals import Somebody, looked_up, principal_of
from tools.azure.shared.rights import HERE, VERSION
from tools.azure.shared.scopes import short_scope

_MOST: Final = 2000
_SHOWN: Final = 10
_ABOVE: Final = unknown_places(places_of((), subscriptions=None, tags={}))


@dataclass(frozen=True, slots=True)
class Spot:
    """A scope, with the known facts about it. For scopes above subscriptions, only the name is known."""

    scope: ResourceId
    known: Inspected

    @property
    def facts(self) -> dict[str, Fact]:
        facts = self.known.facts(self.scope) if self.scope.subscription else {}
        return {"scope": self.scope.text, **{f"scope {name}": value for name, value in facts.items()}}

    def around(self, assignment: ResourceId) -> Inspected:
        """Use the known facts about the scope, including its locks, for an assignment at this scope."""
        return replace(self.known, ids=[assignment])


async def spot_at(azure: Azure, scope: ResourceId) -> Spot:
    """Read the facts about a scope.

    Raises:
        Refusal: The scope does not exist or is not readable.
    """
    if not scope.subscription:
        return Spot(scope, Inspected(ids=[], documents={}, places=_ABOVE, locks=[], missing=[], refused={}))
    known = await inspect(azure, scope, inherited_from=[scope])
    if known.document(scope) is None:
        raise Refusal(f"{scope.text} not found. Use list_resources or list_resource_groups to find scopes.")
    return Spot(scope, known)


@dataclass(frozen=True, slots=True)
class RoleHoldings:
    """The roles of a principal at a scope, including roles through groups. Also contains the other principals with the
    planned role.
    """

    theirs: Sequence[HeldRole]
    eligible: Sequence[HeldRole]
    others: Sequence[Somebody]
    names: Sequence[str]
    missing: Sequence[str]

    def facts_for(self, grant: Grant) -> dict[str, Fact]:
        more = len(self.others) - len(self.names)
        return {
            "role": f"{grant.role.name}{' (custom)' if grant.role.is_custom else ''}",
            "permits": permitted_in_words(grant.role.permissions),
            "who": grant.who.label,
            "current roles there": [_role_in_words(one, grant) for one in self.theirs],
            "eligible roles there": sorted({one.role for one in self.eligible}),
            "other holders there": [*self.names, *([f"and {more} more"] if more > 0 else [])],
        }


def _role_in_words(role: HeldRole, grant: Grant) -> str:
    where = str(role.properties.get("scope") or "/")
    place = "" if where.rstrip("/").lower() == grant.scope.key else f" from {short_scope(where)}"
    group = "" if role.principal[1].lower() == grant.who.id else f" through group {role.principal[1]}"
    return f"{role.role}{place}{group}"


async def standing_of(azure: Azure, grant: Grant) -> RoleHoldings:
    """Read the roles at the scope of a planned assignment."""
    rights = await rights_at(azure, grant.scope, {"$filter": f"assignedTo('{grant.who.id}')"})
    theirs = [one for one in rights.held if holds_at(grant.scope, str(one.properties.get("scope")))]
    records, are_all = await holders_at(azure, grant.scope)
    others = sorted({one for one in map(_principal, _of_role(records, grant)) if one[1].lower() != grant.who.id})
    people = await looked_up(azure, others[:_SHOWN], opening=False)
    told = [people.entry_of(one) for _, one in others[:_SHOWN]]
    gaps = [str(rights.gaps[name]) for name in ("roles_unread", "unread") if rights.gaps.get(name)]
    return RoleHoldings(
        sorted(theirs, key=lambda one: (one.role, str(one.properties.get("scope")))),
        rights.eligible,
        others,
        [str(one.get("sign_in") or one.get("name") or one["id"]) for one in told],
        gaps if are_all else [*gaps, f"all role assignments at the scope: only the first {_MOST} were read"],
    )


async def holders_at(azure: Azure, scope: ResourceId) -> tuple[Sequence[Json], bool]:
    """Return the assignments that apply to a scope, and whether the list is complete."""
    query = {"$filter": "atScope()"}
    page = await azure.page(of_id("GET", scope, f"{HERE}/roleAssignments", query=query, version=VERSION), _MOST)
    return page.items, not page.has_more


async def identities_of(azure: Azure, scope: ResourceId, me: Identity) -> set[str]:
    """Return the caller's id, and the ids of the caller's groups that have a role at, above or below a scope."""
    if not me.id:
        return set()
    query = {"$filter": f"assignedTo('{me.id}')"}
    page = await azure.page(of_id("GET", scope, f"{HERE}/roleAssignments", query=query, version=VERSION), _MOST)
    return {me.id, *(one for _, one in map(_principal, page.items))}


def _of_role(records: Sequence[Json], grant: Grant) -> list[Json]:
    return [one for one in records if key_of(str(at(one, "properties.roleDefinitionId"))) == grant.role.key]


def _principal(record: Json) -> Somebody:
    return principal_of(at(record, "properties") or {})
