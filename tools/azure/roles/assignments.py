"""Lists who has access to a scope. Each entry has the role, the scope where it is assigned, the group, and the
condition.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from clients.answers import Json, at, present
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.roles.definitions import Definition, definitions_if_permitted, key_of
from tools.azure.roles.denials import DenyAssignment, asked_denials
from tools.azure.roles.parameters import OF_PLACE, AnyAction, AnyPlace, AskedPlace, at_each_place
from tools.azure.shared.actions import Action, action_called
from tools.azure.shared.answers import many
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription
from tools.azure.shared.principals import Somebody, looked_up, principal_of
from tools.azure.shared.rights import ELIGIBILITY_VERSION, HERE, VERSION, if_permitted

part = Part()

_MOST: Final = 2000
_MOST_DENIALS: Final = 100
_AT_SCOPE: Final = {"$filter": "atScope()"}


@dataclass(frozen=True, slots=True)
class HeldRole:
    """A role that a principal has, or can activate, at a scope."""

    properties: Mapping[str, Any]
    definition: Definition | None
    is_eligible: bool = False

    @property
    def role(self) -> str:
        return self.definition.name if self.definition else str(self.properties.get("roleDefinitionId") or "")

    @property
    def principal(self) -> Somebody:
        return principal_of(self.properties)

    def shown_at(self, scope: ResourceId) -> Json:
        where = str(self.properties.get("scope") or "")
        return present(
            {
                "role": self.role,
                "scope": where if where.rstrip("/").lower() != scope.key else None,
                "condition": self.properties.get("condition"),
                "eligible": self.is_eligible or None,
                "until": self.properties.get("endDateTime"),
            }
        )


def _roles_in(page: ListPage, roles: Mapping[str, Definition], *, eligible: bool = False) -> list[HeldRole]:
    records = [at(one, "properties") for one in page.items]
    found = [one for one in records if isinstance(one, Mapping)]
    return [HeldRole(one, roles.get(key_of(str(one.get("roleDefinitionId")))), eligible) for one in found]


def _asked_assignments(scope: ResourceId, query: Mapping[str, str]) -> AzureRequest:
    return of_id("GET", scope, f"{HERE}/roleAssignments", query=query, version=VERSION)


def _asked_eligibilities(scope: ResourceId, query: Mapping[str, str]) -> AzureRequest:
    place = f"{HERE}/roleEligibilityScheduleInstances"
    return of_id("GET", scope, place, query=query, version=ELIGIBILITY_VERSION)


@dataclass(frozen=True, slots=True)
class ScopeRights:
    """The rights at a scope: active and eligible roles, and deny assignments."""

    held: list[HeldRole]
    eligible: list[HeldRole]
    denials: list[DenyAssignment]
    # The data that could not be read, with the reasons.
    gaps: Json

    def refuse_without_roles(self) -> None:
        """Refuse to state permissions if role definitions could not be read.

        Raises:
            Refusal: The role definitions could not be read.
        """
        if why := self.gaps.get("roles_unread"):
            raise Refusal(f"Cannot determine which roles permit an action: {why}")


async def rights_at(azure: Azure, scope: ResourceId, query: Mapping[str, str]) -> ScopeRights:
    """Read the rights at a scope, limited by a filter.

    Raises:
        Refusal: Role assignments are not readable.
    """
    # Role assignments are read first: if they are not readable, no other request is sent.
    assigned = await azure.page(_asked_assignments(scope, query), _MOST)
    (eligible, unknown), (denied, undenied), (roles, unread) = await asyncio.gather(
        if_permitted(azure.page(_asked_eligibilities(scope, query), _MOST)),
        if_permitted(azure.page(asked_denials(scope), _MOST_DENIALS)),
        definitions_if_permitted(azure, scope),
    )
    gaps = {
        "denied_unread": undenied,
        "eligible_unread": unknown,
        "roles_unread": unread,
        "out_of_reach": assigned.left_out or None,
        "unread": f"Only the first {_MOST} role assignments were read." if assigned.has_more else None,
    }
    could = _roles_in(eligible, roles, eligible=True)
    return ScopeRights(_roles_in(assigned, roles), could, [DenyAssignment(one) for one in denied.items], present(gaps))


def role_assignment_list() -> dict[str, Any]:
    """List role assignments."""
    return {"below": True, "max_results": 1000}


def _as_one_list(answer: dict[str, Any]) -> dict[str, Any]:
    """Merge the answers for several subscriptions into a single list, which is the format of the public extension."""
    if "asked" not in answer:
        return answer
    beginning = answer.get("idsBeginWith", "")
    parts = [{**answer.get("sameInAll", {}), **part} for part in answer["items"]]
    rows = [
        {"subscription": part["subscription"], **part.get("sameInAll", {}), **row}
        for part in parts
        for row in part["items"]
    ]
    places = [
        {**_without(part, "count", "items", "sameInAll"), "scope": f"{beginning}{part['scope']}"} for part in parts
    ]
    whole = _without(answer, "idsBeginWith", "sameInAll")
    return {**whole, "count": len(rows), "places": places, "items": rows}


def _without(answer: Json, *names: str) -> Json:
    return {name: value for name, value in answer.items() if name not in names}


@part.tool(
    Access.READ,
    harmless=(*OF_PLACE, "action", "role", "below"),
    further_names=[further_name(role_assignment_list, gives=_as_one_list)],
)
async def list_role_assignments(
    azure: Arm,
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    action: AnyAction = None,
    role: Annotated[str | None, Field(max_length=200, description="Only roles with this name")] = None,
    below: Annotated[bool, Field(description="Include roles on the scope's contents")] = False,
    max_results: MaxResults = 50,
) -> Json:
    """Show who has access to a subscription, group or resource, or who may do an action there, and how.

    `scope` shows where the role was assigned, if elsewhere. Roles in `eligible` must be activated before use.
    """
    wanted = _Filter(await action_called(azure, action) if action else None, (role or "").strip().lower())
    asked = AskedPlace(resource, resource_group, subscription)
    return await at_each_place(azure, asked, lambda place: _assigned_at(azure, place, wanted, max_results, below=below))


async def _assigned_at(azure: Azure, place: ResourceId, wanted: _Filter, limit: int, *, below: bool) -> Json:
    assigned, gaps = await _assigned_roles(azure, place, wanted, below=below)
    roles: dict[Somebody, list[Json]] = {}
    for one in assigned:
        roles.setdefault(one.principal, []).append(one.shown_at(place))
    meant = list(roles)[:limit]
    people = await looked_up(azure, meant)
    items = [{"kind": kind, **people.entry_of(one), "roles": roles[kind, one]} for kind, one in meant]
    may = wanted.action.name if wanted.action else None
    return many(ListPage(items, len(roles) > limit), scope=place.text, may=may, **gaps, **people.gaps)


@dataclass(frozen=True, slots=True)
class _Filter:
    action: Action | None
    role: str

    def takes(self, role: HeldRole) -> bool:
        if self.role and role.role.lower() != self.role:
            return False
        return not self.action or bool(role.definition and self.action.is_allowed_by(role.definition.permissions))


async def _assigned_roles(
    azure: Azure, scope: ResourceId, wanted: _Filter, *, below: bool
) -> tuple[list[HeldRole], Json]:
    rights = await rights_at(azure, scope, {} if below else _AT_SCOPE)
    if wanted.action:
        rights.refuse_without_roles()
    forbidding = [
        one.name for one in rights.denials if not wanted.action or wanted.action.is_allowed_by(one.permissions)
    ]
    gaps = {
        "doubt": wanted.action.doubt if wanted.action else None,
        "denied_by": forbidding,
        **rights.gaps,
    }
    return [one for one in (*rights.held, *rights.eligible) if wanted.takes(one)], present(gaps)
