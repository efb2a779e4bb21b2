"""Shows what the caller or another user can do at a scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from clients.answers import Json, present
from clients.azure.client import Azure
from clients.azure.directory import DirectoryEntry
from clients.azure.ids import ResourceId
from clients.azure.permissions import Permissions
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.account.who import Me
from tools.azure.roles.assignments import HeldRole, rights_at
from tools.azure.roles.denials import DenyAssignment
from tools.azure.roles.parameters import OF_PLACE, AnyAction, AnyPlace, AskedPlace, at_each_place, holds_at
from tools.azure.roles.people import meant_person
from tools.azure.shared.actions import Action, action_called
from tools.azure.shared.answers import answer
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.principals import People, Somebody, looked_up
from tools.azure.shared.rights import in_words

part = Part()

_SHOWN: Final = 60
_NOT_LOOKED_UP: Final = (
    "No role found. The directory was not searched for this id: check that it is an object id, not an application id."
)
_NOT_ALL: Final = (
    "Some role definitions could not be read at this scope, so the user may have more permissions than shown."
)


@part.tool(Access.READ, harmless=(*OF_PLACE, "action"))
async def show_access(
    azure: Arm,
    me: Me,
    person: Annotated[
        str | None, Field(max_length=113, description="Object or app id, sign-in name, email or group; default: me")
    ] = None,
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    action: AnyAction = None,
) -> Json:
    """Show what a person, group or app may do on a subscription, group or resource, and through which roles (assigned
    directly or through a group).

    `below` lists roles on the scope's contents. Roles in `eligible` must be activated before use.
    """
    who = await meant_person(azure, person, me)
    wanted = await action_called(azure, action) if action else None
    asked = AskedPlace(resource, resource_group, subscription)
    return await at_each_place(azure, asked, lambda scope: _access_at(azure, who, scope, wanted))


async def _access_at(azure: Azure, who: DirectoryEntry, scope: ResourceId, wanted: Action | None) -> Json:
    query = {"$filter": f"assignedTo('{who.id}')"}
    rights = await rights_at(azure, scope, query)
    rights.refuse_without_roles()
    roles = rights.held
    here = [one for one in roles if holds_at(scope, str(one.properties.get("scope")))]
    people = await looked_up(azure, _groups(roles, who), opening=False)
    denials = _matching_denials(rights.denials, roles, who, wanted)
    identified = await _identified(azure, who)
    is_known = here or azure.reads_directory or identified.keys() > {"id"}
    return answer(
        scope=scope.text,
        who=identified,
        hint=None if is_known else _NOT_LOOKED_UP,
        **(_verdict(here, denials, wanted) if wanted else {}),
        **in_words(_permissions(here)),
        roles=_entries(here, scope, who, people),
        below=_entries([one for one in roles if one not in here], scope, who, people),
        eligible=_entries(rights.eligible, scope, who, people),
        denied_by=[one.name for one in denials],
        **rights.gaps,
        more=_NOT_ALL if any(one.definition is None for one in here) else None,
        **people.gaps,
    )


async def _identified(azure: Azure, who: DirectoryEntry) -> Json:
    """Return the identity of a user or app. For a group, also return its members."""
    inside = await looked_up(azure, [("Group", who.id)]) if who.is_group else None
    members = {name: one for name, one in inside.entry_of(who.id).items() if "member" in name} if inside else {}
    return present({"id": who.id, "name": who.name, "sign_in": who.sign_in, **members})


def _permissions(roles: Sequence[HeldRole]) -> Permissions:
    return Permissions([entry for one in roles if one.definition for entry in one.definition.permissions.entries])


def _verdict(here: Sequence[HeldRole], denials: Sequence[DenyAssignment], action: Action) -> Json:
    """Return whether an action is allowed, by which roles, and under which condition."""
    by = [one for one in here if one.definition and action.is_allowed_by(one.definition.permissions)]
    free = [one for one in by if not one.properties.get("condition")]
    return {
        "action": action.name,
        "doubt": action.doubt,
        "allowed": action.verdict(is_allowed=bool(by) and not denials),
        "allowed_by": sorted({one.role for one in by}),
        "only_if": None if free else [one.properties["condition"] for one in by],
    }


def _matching_denials(
    denials: Sequence[DenyAssignment], roles: Sequence[HeldRole], who: DirectoryEntry, action: Action | None
) -> list[DenyAssignment]:
    identities = {who.id, *(one.principal[1] for one in roles)}
    forbidding = [one for one in denials if not action or action.is_allowed_by(one.permissions)]
    return [one for one in forbidding if one.befalls(identities)]


def _groups(roles: Sequence[HeldRole], who: DirectoryEntry) -> list[Somebody]:
    """Return the groups through which a user has a role."""
    return [one.principal for one in roles if one.principal[1].lower() != who.id.lower()]


def _entries(roles: Sequence[HeldRole], scope: ResourceId, who: DirectoryEntry, people: People) -> list[Json]:
    return [_role(one, scope, who, people) for one in roles[:_SHOWN]]


def _role(role: HeldRole, scope: ResourceId, who: DirectoryEntry, people: People) -> Json:
    _, principal = role.principal
    told = role.shown_at(scope)
    by = people.entry_of(principal) if principal.lower() != who.id.lower() else {}
    by_group = by.get("name") or by.get("id")
    return present({**{name: told.get(name) for name in ("role", "scope", "condition", "until")}, "by_group": by_group})
