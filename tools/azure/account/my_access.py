"""Shows the caller's permissions on a subscription, group or resource, and the roles that grant them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import place_called
from clients.azure.permissions import Permissions
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.account.who import UNKNOWN_IDENTITY, Identity, Me
from tools.azure.shared.actions import Action as Asked
from tools.azure.shared.actions import action_called
from tools.azure.shared.answers import Json, answer, at, present
from tools.azure.shared.everywhere import answered_for_each
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.rights import (
    ELIGIBILITY_VERSION,
    HERE,
    VERSION,
    AnyResource,
    eligibility,
    if_permitted,
    in_words,
)

part = Part()

_MOST_ROLES: Final = 50
_MOST_PERMISSIONS: Final = 500
_MOST_NAMED: Final = 20

Action = Annotated[
    str | None, Field(max_length=300, description="Check this action, such as Microsoft.Web/sites/restart/action")
]
Found = tuple[list[Any], str]


@part.tool(Access.READ, harmless=("resource", "resource_group", "subscription", "action"))
async def show_my_access(
    azure: Arm,
    me: Me,
    resource: AnyResource = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    action: Action = None,
) -> Json:
    """Show what you may do on a subscription, group or resource (read, change, grant roles), and through which roles.

    Roles in `eligible` must be activated before use.
    """
    if resource:
        return await _access_at(azure, me, await place_called(azure, resource, subscription), action)
    return await answered_for_each(
        azure, subscription, lambda scope: _access_at(azure, me, scope, action), group=resource_group
    )


async def _access_at(azure: Azure, me: Identity, scope: ResourceId, action: str | None) -> Json:
    page = await azure.page(of_id("GET", scope, f"{HERE}/permissions", version=VERSION), _MOST_PERMISSIONS)
    (roles, unread), (eligible, unknown), asked = await asyncio.gather(
        _roles(azure, scope, me), _eligible(azure, scope, me), _action(azure, action)
    )
    permissions = Permissions.of(page.items)
    return answer(
        scope=scope.text,
        who=me.sign_in or me.name or me.id,
        allowed=asked.verdict(is_allowed=asked.is_allowed_by(permissions)) if asked else None,
        doubt=asked.doubt if asked else None,
        **in_words(permissions),
        roles=roles,
        roles_unread=unread,
        eligible=eligible,
        eligible_unread=unknown,
    )


async def _action(azure: Azure, action: str | None) -> Asked | None:
    return await action_called(azure, action) if action else None


async def _roles(azure: Azure, scope: ResourceId, me: Identity) -> Found:
    if not me.id:
        return [], UNKNOWN_IDENTITY
    # With this filter, Azure also returns assignments above and below the scope, and assignments through groups.
    query = {"$filter": f"assignedTo('{me.id}')"}
    request = of_id("GET", scope, f"{HERE}/roleAssignments", query=query, version=VERSION)
    assigned, unread = await if_permitted(azure.page(request, _MOST_ROLES))
    names = await _names(azure, {str(at(one, "properties.roleDefinitionId")) for one in assigned.items})
    return [_role(one, names, me) for one in assigned.items], unread


def _role(assignment: Mapping[str, Any], names: Mapping[str, str], me: Identity) -> Json:
    role = str(at(assignment, "properties.roleDefinitionId"))
    by_group = str(at(assignment, "properties.principalId")).lower() != me.id.lower()
    return present(
        {
            "role": names.get(role, role),
            "scope": at(assignment, "properties.scope"),
            "by_group": by_group or None,
            "condition": at(assignment, "properties.condition"),
        }
    )


async def _names(azure: Azure, roles: set[str]) -> Mapping[str, str]:
    ids = sorted(roles)[:_MOST_NAMED]
    return dict(zip(ids, await asyncio.gather(*(_name(azure, role) for role in ids)), strict=True))


async def _name(azure: Azure, role: str) -> str:
    try:
        found = await azure.json(of_id("GET", ResourceId.of(role), version=VERSION))
    except Refusal:
        return role  # show the role's id, so that administrators can look it up
    return str(at(found, "properties.roleName") or role)


async def _eligible(azure: Azure, scope: ResourceId, me: Identity) -> Found:
    if me.kind == "app":
        return [], ""
    place = f"{HERE}/roleEligibilityScheduleInstances"
    request = of_id("GET", scope, place, query={"$filter": "asTarget()"}, version=ELIGIBILITY_VERSION)
    found, unread = await if_permitted(azure.page(request, _MOST_ROLES))
    return [eligibility(one) for one in found.items], unread
