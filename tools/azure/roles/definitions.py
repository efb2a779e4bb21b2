"""Lists role definitions, shows a definition, and finds roles that permit an action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from clients.answers import Json, at, present
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.permissions import Permissions
from clients.azure.times import to_seconds
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.roles.parameters import OF_PLACE, AnyAction, AnyPlace, AskedPlace, asked_place
from tools.azure.shared.actions import action_called
from tools.azure.shared.answers import answer, many
from tools.azure.shared.everywhere import in_each
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription
from tools.azure.shared.rights import HERE, VERSION, first_of, if_permitted

part = Part()

_MOST: Final = 5000
_MOST_PATTERNS: Final = 100
_MOST_LIKE_IT: Final = 8
_LONGEST_DESCRIPTION: Final = 120
_CUSTOM: Final = "customrole"


@dataclass(frozen=True, slots=True)
class Definition:
    """A role definition."""

    record: Mapping[str, Any]
    permissions: Permissions

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Definition:
        permissions = at(record, "properties.permissions")
        entries = [one for one in permissions if isinstance(one, Mapping)] if isinstance(permissions, list) else []
        return cls(record, Permissions.of(entries))

    @property
    def key(self) -> str:
        return key_of(str(self.record.get("id") or self.record.get("name") or ""))

    @property
    def name(self) -> str:
        return str(at(self.record, "properties.roleName") or self.key)

    @property
    def is_custom(self) -> bool:
        return str(at(self.record, "properties.type")).lower() == _CUSTOM

    @property
    def breadth(self) -> tuple[bool, bool, int]:
        """A sort key that indicates how much a role permits. Less permissive roles come first."""
        patterns = [*self.permissions.actions, *self.permissions.data_actions]
        return "*" in patterns, any(pattern.startswith("*") for pattern in patterns), len(patterns)

    @property
    def summary(self) -> Json:
        description = str(at(self.record, "properties.description") or "")[:_LONGEST_DESCRIPTION]
        fields = {"name": self.name, "id": self.key, "custom": self.is_custom or None, "description": description}
        return present(fields)


def key_of(role: str) -> str:
    """Return a key that identifies a role in every scope."""
    return role.rpartition("/")[2].lower()


async def definitions(azure: Azure, scope: ResourceId) -> Mapping[str, Definition]:
    """Return the roles that can be assigned at a scope or below it."""

    async def read() -> Mapping[str, Definition]:
        query = {"$filter": "atScopeAndBelow()"}
        page = await azure.page(of_id("GET", scope, f"{HERE}/roleDefinitions", query=query, version=VERSION), _MOST)
        found = [Definition.of(record) for record in page.items]
        return {one.key: one for one in found}

    return await azure.lately(("role definitions", scope.key), read)


async def _readable(azure: Azure, place: AskedPlace) -> tuple[Mapping[str, Definition], Json]:
    """Return the roles that can be assigned. If several scopes were read, also return which ones."""
    if place.resource:
        scope = await asked_place(azure, place.resource, place.group, place.subscription)
        return await definitions(azure, scope), {}

    async def read(scope: ResourceId) -> ListPage:
        return ListPage([{"role": one} for one in (await definitions(azure, scope)).values()])

    found = await in_each(azure, place.subscription, read, _MOST, group=place.group)
    return {row["role"].key: row["role"] for row in found.page.items}, found.said


async def definitions_if_permitted(azure: Azure, scope: ResourceId) -> tuple[Mapping[str, Definition], str]:
    """Return the role definitions or, if they are not readable, the reason. Tools then show the ids of roles."""
    found: Mapping[str, Definition] = {}

    async def read() -> ListPage:
        nonlocal found
        found = await definitions(azure, scope)
        return ListPage([])

    _, unread = await if_permitted(read())
    return found, unread


def role_definition_list() -> dict[str, Any]:
    """List custom and built-in role definitions."""
    return {"max_results": 1000}


@part.tool(Access.READ, harmless=(*OF_PLACE, "action", "custom"), further_names=[further_name(role_definition_list)])
async def list_role_definitions(
    azure: Arm,
    name: Annotated[str | None, Field(max_length=200, description="Part of the name")] = None,
    action: AnyAction = None,
    custom: Annotated[bool, Field(description="Only custom roles")] = False,
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 30,
) -> Json:
    """List roles (RBAC role definitions) by name, or custom roles only.

    With `action`, lists only roles that permit the action, narrowest first.
    """
    known, said = await _readable(azure, AskedPlace(resource, resource_group, subscription))
    wanted = await action_called(azure, action) if action else None
    found = [
        one
        for one in known.values()
        if (not name or name.lower() in one.name.lower())
        and (not custom or one.is_custom)
        and (not wanted or wanted.is_allowed_by(one.permissions))
    ]
    found.sort(key=lambda one: (one.breadth if action else (), one.name.lower()))
    page = ListPage([one.summary for one in found[:max_results]], len(found) > max_results)
    return many(page, permit=action, doubt=wanted.doubt if wanted else None, **said)


@part.tool(Access.READ, harmless=(*OF_PLACE, "role"))
async def show_role_definition(
    azure: Arm,
    role: Annotated[str, Field(min_length=1, max_length=2048, description="Name or id")],
    resource: AnyPlace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
) -> Json:
    """Show what a role permits: actions and data actions, exclusions, assignable scopes."""
    known, _ = await _readable(azure, AskedPlace(resource, resource_group, subscription))
    found = called(known, role)
    entries = found.permissions
    patterns = {
        "actions": entries.actions,
        "not_actions": [one for entry in entries.entries for one in entry.not_actions],
        "data_actions": entries.data_actions,
        "not_data_actions": [one for entry in entries.entries for one in entry.not_data_actions],
    }
    return answer(
        **found.summary | {"description": at(found.record, "properties.description")},
        **{kind: first_of(listed, _MOST_PATTERNS) for kind, listed in patterns.items()},
        assignable_scopes=first_of([str(one) for one in at(found.record, "properties.assignableScopes") or ()]),
        updated=to_seconds(at(found.record, "properties.updatedOn")),
    )


def called(known: Mapping[str, Definition], role: str) -> Definition:
    wanted = role.strip().lower()
    found = known.get(key_of(wanted)) or next((one for one in known.values() if one.name.lower() == wanted), None)
    if found:
        return found
    like_it = sorted(one.name for one in known.values() if wanted in one.name.lower())[:_MOST_LIKE_IT]
    more = f" Similar: {', '.join(like_it)}." if like_it else " Use list_role_definitions to search by part of a name."
    raise Refusal(f"No role with this name or id found.{more}")
