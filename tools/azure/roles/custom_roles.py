"""Roles of one's own: making, changing and deleting them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import Field
from pydantic_core import from_json

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.messages import of_id
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.answers import Json, at
from tools.azure.provider import Arm
from tools.azure.roles.role_plans import (
    KINDS,
    Plan,
    Wanted,
    assigned_to,
    custom_role,
    edits_of,
    id_of,
    place_in,
    planned_change,
    planned_new,
    preview,
)
from tools.azure.shared.doing import SECONDS, Look, change, gone, holding, made
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.rights import VERSION

part = Part()

_MOST_SHOWN: Final = 20
_PATTERN: Final = r"^[A-Za-z0-9.*]+(/[A-Za-z0-9.*_-]+)*$"

Pattern = Annotated[str, Field(max_length=300, pattern=_PATTERN)]
Patterns = Annotated[list[Pattern], Field(max_length=500)]
SomePatterns = Annotated[Patterns | None, Field(description="Such as Microsoft.Web/sites/*")]
Others = Annotated[Patterns | None, Field(description="Likewise")]
Scopes = Annotated[
    list[Annotated[str, Field(max_length=2048)]] | None,
    Field(max_length=100, description="Ids where it can be assigned; default: the subscription"),
]
Text = Annotated[str | None, Field(max_length=1024, description="What it is for")]
RoleText = Annotated[str, Field(min_length=1, max_length=2048, description="Name or id")]
NewName = Annotated[str | None, Field(min_length=1, max_length=128, description="Its new name")]
Definitions = Annotated[str, Field(max_length=100_000, description="JSON: Name, Actions, AssignableScopes, ...")]


async def _done(azure: Azure, plan: Plan) -> Json:
    properties = plan.after or {}
    look = f"show_role_definition(role={str(properties['roleName'])!r})"
    judge = holding({"properties": properties}, before=plan.before) if plan.before else made
    request = of_id("PUT", plan.id, body={"name": plan.id.name, "properties": properties}, version=VERSION)
    done = await change(azure, request, Look(of_id("GET", plan.id, version=VERSION), judge, look))
    return done.told(role=properties["roleName"], id=plan.id.name, assignable_scopes=properties["assignableScopes"])


def _of_az(text: str) -> dict[str, Any]:
    """What the JSON that `az role definition` takes comes to."""
    try:
        found = from_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refusal("roleDefinition is JSON such as {Name, Description, Actions, AssignableScopes}.")
    own = {str(name).lower(): value for name, value in found.items()}
    taken = {
        "name": own.get("name") or own.get("rolename"),
        "description": own.get("description"),
        "scopes": own.get("assignablescopes"),
        **{name: own.get(name.replace("_", "")) for name in KINDS},
    }
    return {name: value for name, value in taken.items() if value is not None}


def role_definition_create(roleDefinition: Definitions) -> dict[str, Any]:
    """Create a custom role definition."""
    return _of_az(roleDefinition)


def role_definition_update(roleDefinition: Definitions) -> dict[str, Any]:
    """Update a custom role definition."""
    taken = _of_az(roleDefinition)
    return {**{name: value for name, value in taken.items() if name != "name"}, "role": taken.get("name")}


def role_definition_delete(name: RoleText) -> dict[str, Any]:
    """Delete a custom role definition."""
    return {"role": name}


def _patterns(*listed: Sequence[str] | None) -> dict[str, Sequence[str] | None]:
    return dict(zip(KINDS, listed, strict=True))


async def _created(
    azure: Arm,
    name: str,
    actions: Patterns | None = None,
    not_actions: Patterns | None = None,
    data_actions: Patterns | None = None,
    not_data_actions: Patterns | None = None,
    description: str | None = None,
    scopes: list[str] | None = None,
    subscription: str | None = None,
) -> Preview:
    patterns = _patterns(actions, not_actions, data_actions, not_data_actions)
    plan = await planned_new(azure, Wanted(name, description, patterns, scopes), subscription)
    return await preview(azure, plan, "New role")


@part.tool(
    Access.DESTROY,
    previewed=_created,
    harmless=("subscription",),
    seconds=SECONDS,
    further_names=[further_name(role_definition_create)],
)
async def create_role_definition(
    azure: Arm,
    name: Annotated[str, Field(min_length=1, max_length=128, description="Its name")],
    actions: SomePatterns = None,
    not_actions: Others = None,
    data_actions: Others = None,
    not_data_actions: Others = None,
    description: Text = None,
    scopes: Scopes = None,
    subscription: Subscription = None,
) -> Json:
    """Create a custom role."""
    patterns = _patterns(actions, not_actions, data_actions, not_data_actions)
    return await _done(
        azure, await planned_new(azure, Wanted(name.strip(), description, patterns, scopes), subscription)
    )


async def _changed(
    azure: Arm,
    role: str,
    actions: Patterns | None = None,
    not_actions: Patterns | None = None,
    data_actions: Patterns | None = None,
    not_data_actions: Patterns | None = None,
    description: str | None = None,
    scopes: list[str] | None = None,
    new_name: str | None = None,
    subscription: str | None = None,
) -> Preview:
    patterns = _patterns(actions, not_actions, data_actions, not_data_actions)
    plan = await planned_change(azure, role, Wanted(new_name, description, patterns, scopes), subscription)
    return await preview(azure, plan, "Role")


@part.tool(
    Access.DESTROY,
    previewed=_changed,
    harmless=("subscription",),
    seconds=SECONDS,
    further_names=[further_name(role_definition_update)],
)
async def update_role_definition(
    azure: Arm,
    role: RoleText,
    actions: SomePatterns = None,
    not_actions: Others = None,
    data_actions: Others = None,
    not_data_actions: Others = None,
    description: Text = None,
    scopes: Scopes = None,
    new_name: NewName = None,
    subscription: Subscription = None,
) -> Json:
    """Change a custom role, for everybody who has it. Each list is the whole new list; what is not given stays."""
    patterns = _patterns(actions, not_actions, data_actions, not_data_actions)
    plan = await planned_change(azure, role, Wanted(new_name, description, patterns, scopes), subscription)
    if not edits_of(at(plan.before, "properties") or {}, plan.after or {}):
        raise Refusal("Nothing is to be changed: the role is like that already.")
    return await _done(azure, plan)


async def _deleted(azure: Arm, role: str, subscription: str | None = None) -> Preview:
    place = await place_in(azure, subscription)
    found = await custom_role(azure, place, role)
    return await preview(azure, Plan(id_of(place, found.key), dict(found.record), None), "Role")


@part.tool(
    Access.DESTROY,
    previewed=_deleted,
    harmless=("subscription",),
    seconds=SECONDS,
    further_names=[further_name(role_definition_delete)],
)
async def delete_role_definition(azure: Arm, role: RoleText, subscription: Subscription = None) -> Json:
    """Delete a custom role. Azure refuses that while it is assigned to anybody."""
    place = await place_in(azure, subscription)
    found = await custom_role(azure, place, role)
    plan = Plan(id_of(place, found.key), dict(found.record), None)
    assigned, _ = await assigned_to(azure, plan)
    if assigned:
        raise Refusal(
            f"Nothing was done: {found.name} is still assigned {len(assigned)} times:"
            f" {'; '.join(assigned[:_MOST_SHOWN])}."
            " remove_role_assignment takes it away."
        )
    look = Look(of_id("GET", plan.id, version=VERSION), gone, "list_role_definitions(custom=True)")
    done = await change(azure, of_id("DELETE", plan.id, version=VERSION), look)
    return done.told(deleted=found.name, id=found.key)
