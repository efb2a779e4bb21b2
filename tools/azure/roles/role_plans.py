"""A planned change to a custom role, and the assignments that the change affects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo
from clients.answers import Json, at
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.permissions import Permissions
from refusal import Refusal
from tools.azure.roles.definitions import Definition, called
from tools.azure.roles.grants import permitted_in_words, why_powerful, why_strong
from tools.azure.shared.change_places import places_of, unknown_places
from tools.azure.shared.inspecting import inspect
from tools.azure.shared.rights import HERE, VERSION

_NAMES: Final = uuid5(NAMESPACE_URL, "roleDefinitions of Azure Team MCP")
_MOST: Final = 5000
# Maps the parameters of the role tools to the fields of a role in Azure.
KINDS: Final = {
    "actions": "actions",
    "not_actions": "notActions",
    "data_actions": "dataActions",
    "not_data_actions": "notDataActions",
}


@dataclass(frozen=True, slots=True)
class RoleDraft:
    """The new content of a role. A field that is None keeps its current value or, in a new role, stays empty."""

    name: str | None = None
    description: str | None = None
    patterns: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    scopes: Sequence[str] | None = None

    def over(self, before: Json | None, default: ResourceId) -> Json:
        """Return the properties of the role after the change.

        Raises:
            Refusal: The role has several permission entries, or the result is not a valid role.
        """
        old = (before or {}).get("properties") or {}
        entries = old.get("permissions") or [{}]
        if len(entries) > 1:
            raise Refusal("This role has several permission entries. Change the role in the portal or with `az`.")
        permission = {
            name: _one_of_each(self.patterns[own]) if self.patterns.get(own) is not None else entries[0].get(name) or []
            for own, name in KINDS.items()
        }
        if not permission["actions"] and not permission["dataActions"]:
            raise Refusal("A role must permit at least one of `actions` or `data_actions`.")
        scopes = self.scopes if self.scopes is not None else old.get("assignableScopes") or [default.text]
        return {
            "roleName": self.name or old.get("roleName"),
            "description": (self.description if self.description is not None else old.get("description")) or "",
            "type": "CustomRole",
            "permissions": [permission],
            "assignableScopes": [ResourceId.of(one).text for one in _one_of_each(scopes)],
        }


def _one_of_each(listed: Sequence[str] | None) -> list[str]:
    return list({one.lower(): one for one in listed or ()}.values())


@dataclass(frozen=True, slots=True)
class RolePlan:
    id: ResourceId
    before: Json | None
    after: Json | None

    @property
    def name(self) -> str:
        """The display name of the role."""
        return str(at(self.before, "properties.roleName") or (self.after or {}).get("roleName"))

    @property
    def permissions(self) -> Permissions:
        return Permissions.of((self.after or {}).get("permissions") or ())


def is_one_entry(record: Json | None) -> bool:
    """Check whether a role has at most one permission entry, as the tools require."""
    return len(at(record, "properties.permissions") or ()) <= 1


def said_of(record: Json | None) -> dict[str, Any]:
    """Return a role in the format that the tools `create_role_definition` and `update_role_definition` accept."""
    properties = at(record, "properties") or {}
    [entry] = properties.get("permissions") or [{}]
    return {
        "name": properties.get("roleName"),
        **{own: entry.get(name) or [] for own, name in KINDS.items()},
        "description": properties.get("description") or "",
        "scopes": properties.get("assignableScopes"),
    }


async def _roles(azure: Azure, place: ResourceId) -> dict[str, Definition]:
    """Return all current roles."""
    page = await azure.page(of_id("GET", place, f"{HERE}/roleDefinitions", version=VERSION), _MOST)
    return {one.key: one for one in map(Definition.of, page.items)}


async def place_in(azure: Azure, subscription: str | None) -> ResourceId:
    return ResourceId.of_subscription((await azure.subscription(subscription)).id)


def id_of(place: ResourceId, key: str) -> ResourceId:
    return ResourceId.of(f"{place.text}{HERE}/roleDefinitions/{key}")


async def custom_role(azure: Azure, place: ResourceId, role: str) -> Definition:
    """Return a custom role.

    Raises:
        Refusal: The role does not exist, or is built-in.
    """
    found = called(await _roles(azure, place), role)
    if not found.is_custom:
        raise Refusal(f"{found.name} is a built-in role and cannot be changed or deleted. Nothing was done.")
    return found


async def planned_new(azure: Azure, wanted: RoleDraft, subscription: str | None) -> RolePlan:
    place = await place_in(azure, subscription)
    name = str(wanted.name)
    if any(one.name.lower() == name.lower() for one in (await _roles(azure, place)).values()):
        raise Refusal(
            f"Role {name!r} already exists, so nothing was done. Use update_role_definition to change the role."
        )
    key = str(uuid5(_NAMES, f"{place.key}|{name.lower()}"))
    return RolePlan(id_of(place, key), None, wanted.over(None, place))


async def planned_change(azure: Azure, role: str, wanted: RoleDraft, subscription: str | None) -> RolePlan:
    place = await place_in(azure, subscription)
    found = await custom_role(azure, place, role)
    return RolePlan(id_of(place, found.key), dict(found.record), wanted.over(dict(found.record), place))


async def shown(azure: Azure, plan: RolePlan, verb: str, undo: Undo) -> Preview:
    """Preview the creation, change or deletion of a role."""
    scopes = [str(one) for one in at(plan.before or {"properties": plan.after}, "properties.assignableScopes") or ()]
    more = [str(one) for one in (plan.after or {}).get("assignableScopes") or ()]
    every = _one_of_each([*scopes, *more])
    places = [ResourceId.of(one) for one in every if one.lower().startswith("/subscriptions/")]
    is_wider = len(places) < len(every)
    known = await inspect(azure, *places, reaches_more=is_wider, inherited_from=places) if places else None
    assigned, missing = await assigned_to(azure, plan) if plan.before else ([], [])
    before = Definition.of(plan.before) if plan.before else None
    facts: dict[str, Fact] = {
        "role id": plan.id.name,
        "permits now": permitted_in_words(before.permissions) if before else "",
        "would permit": permitted_in_words(plan.permissions) if plan.after else "",
        "can be assigned at": scopes,
        "assigned": assigned or "to no one",
        "assignments": len(assigned),
    }
    return Preview(
        what=f"{'Role' if plan.before else 'New role'} {plan.name}",
        sentence=f"{verb} the role {plan.name}",
        facts=facts,
        edits=edits_of(at(plan.before, "properties") or {}, plan.after or {}),
        affected=[one.partition(" at ")[0] for one in assigned],
        places=known.places if known else unknown_places(places_of((), subscriptions=None, tags={})),
        grave=_grave(plan, before, [] if is_wider else places),
        effects=[(f"Changes what {len(assigned)} assignments permit, with immediate effect")]
        if assigned and plan.after
        else [],
        undo=undo,
        missing=[*(known.missing if known else []), *missing],
    )


def _grave(plan: RolePlan, before: Definition | None, places: Sequence[ResourceId]) -> str:
    reasons = [
        why_strong(plan.permissions) if plan.after else "",
        why_powerful(before) if before else "",
        "" if places and all(one.group for one in places) else "The role applies to a whole subscription or more",
    ]
    texts = dict.fromkeys(filter(None, reasons))
    return f"{'. '.join(texts)}." if texts else ""


async def assigned_to(azure: Azure, plan: RolePlan) -> tuple[list[str], list[str]]:
    """Return the role's assignments that are visible in its subscription, and what could not be read."""
    place = ResourceId(plan.id.segments[:2])
    page = await azure.page(of_id("GET", place, f"{HERE}/roleAssignments", version=VERSION), _MOST)
    found = sorted(
        f"{at(one, 'properties.principalType')} {at(one, 'properties.principalId')} at {at(one, 'properties.scope')}"
        for one in page.items
        if str(at(one, "properties.roleDefinitionId")).lower().endswith(f"/{plan.id.name.lower()}")
    )
    return found, [f"all assignments at the scope: only the first {_MOST} were read"] if page.has_more else []


def edits_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Edit]:
    """Return the changes to a role: new and removed permissions and scopes, and a new name or description."""
    texts = [Edit(name, before.get(name) or None, after.get(name) or None) for name in ("roleName", "description")]
    lists = [*((name, _listed(before, name), _listed(after, name)) for name in KINDS.values())]
    lists.append(("assignableScopes", _plain(before.get("assignableScopes")), _plain(after.get("assignableScopes"))))
    added = [Edit(name, None, one) for name, old, new in lists for one in new if one not in old]
    removed = [Edit(name, one, None) for name, old, new in lists for one in old if one not in new]
    return [edit for edit in (*texts, *removed, *added) if edit.before != edit.after]


def _listed(properties: Mapping[str, Any], name: str) -> list[str]:
    return [str(one) for entry in properties.get("permissions") or () for one in entry.get(name) or ()]


def _plain(value: Any) -> list[str]:
    return [str(one) for one in value or ()]
