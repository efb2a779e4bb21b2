"""Creates, changes and deletes custom roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic_core import from_json

from changes.undo import Undo, by_call, by_hand
from clients.answers import at
from clients.azure.client import Azure
from clients.azure.messages import of_id
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.roles.role_plans import (
    KINDS,
    RoleDraft,
    RolePlan,
    assigned_to,
    custom_role,
    edits_of,
    id_of,
    is_one_entry,
    place_in,
    planned_change,
    planned_new,
    said_of,
    shown,
)
from tools.azure.shared.applying import SECONDS, gone, holding, made
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange
from tools.azure.shared.rights import VERSION

part = Part()

_MOST_SHOWN: Final = 20
_PATTERN: Final = r"^[A-Za-z0-9.*]+(/[A-Za-z0-9.*_-]+)*$"

Pattern = Annotated[str, Field(max_length=300, pattern=_PATTERN)]
Patterns = Annotated[list[Pattern], Field(max_length=500)]
SomePatterns = Annotated[Patterns | None, Field(description="Example: Microsoft.Web/sites/*")]
Others = Annotated[Patterns | None, Field(description="Same format as actions")]
Scopes = Annotated[
    list[Annotated[str, Field(max_length=2048)]] | None,
    Field(max_length=100, description="Assignable scopes (ids); default: the subscription"),
]
Text = Annotated[str | None, Field(max_length=1024, description="Its purpose")]
RoleText = Annotated[str, Field(min_length=1, max_length=2048, description="Name or id")]
NewName = Annotated[str | None, Field(min_length=1, max_length=128, description="Its new name")]
Definitions = Annotated[str, Field(max_length=100_000, description="JSON: Name, Actions, AssignableScopes, ...")]


def _written(azure: Azure, plan: RolePlan, verb: str, undo: Undo) -> ResourceChange:
    """Build the change that creates a role, or that replaces a role completely."""
    properties = plan.after or {}
    judge = holding({"properties": properties}, before=plan.before) if plan.before else made
    return ResourceChange(
        azure,
        of_id("PUT", plan.id, body={"name": plan.id.name, "properties": properties}, version=VERSION),
        on=plan.id,
        before=plan.before,
        judge=judge,
        call=f"show_role_definition(role={str(properties['roleName'])!r})",
        shows=lambda _: shown(azure, plan, verb, undo),
        answers={
            "role": properties["roleName"],
            "id": plan.id.name,
            "assignable_scopes": properties["assignableScopes"],
        },
        is_no_op=plan.before is not None and not edits_of(at(plan.before, "properties") or {}, properties),
    )


def _changed_back(plan: RolePlan) -> Undo:
    """Return the call that restores the changed values of a role."""
    before, after = said_of(plan.before), said_of({"properties": plan.after})
    changed = {name: value for name, value in before.items() if value != after[name]}
    given = {"new_name" if name == "name" else name: value for name, value in changed.items()}
    return by_call("update_role_definition", role=plan.id.name, **given, subscription=plan.id.subscription)


def _recreation(plan: RolePlan) -> Undo:
    """Return the call that recreates the role with its current content."""
    if not is_one_entry(plan.before):
        return by_hand("recreate it in the portal or with `az`: it has several permission entries")
    return by_call("create_role_definition", **said_of(plan.before), subscription=plan.id.subscription).but(
        "the role may get a new id"
    )


def _of_az(text: str) -> dict[str, Any]:
    """Parse a role in the JSON format of `az role definition`."""
    own = {str(name).lower(): value for name, value in _object_in(text).items()}
    taken = {
        "name": own.get("name") or own.get("rolename"),
        "description": own.get("description"),
        "scopes": own.get("assignablescopes"),
        **{name: own.get(name.replace("_", "")) for name in KINDS},
    }
    return {name: value for name, value in taken.items() if value is not None}


def _object_in(text: str) -> dict[str, Any]:
    try:
        found = from_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refusal("roleDefinition must be JSON such as {Name, Description, Actions, AssignableScopes}.")
    return found


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


@part.change(
    Access.DESTROY,
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
) -> ResourceChange:
    """Create a custom role."""
    patterns = _patterns(actions, not_actions, data_actions, not_data_actions)
    plan = await planned_new(azure, RoleDraft(name.strip(), description, patterns, scopes), subscription)
    return _written(azure, plan, "Create", by_call("delete_role_definition", role=plan.id.name))


@part.change(
    Access.DESTROY,
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
) -> ResourceChange:
    """Change a custom role for everyone who has it.

    A list that you pass replaces the current one; lists that you omit stay unchanged.
    """
    patterns = _patterns(actions, not_actions, data_actions, not_data_actions)
    name = new_name.strip() if new_name else None
    plan = await planned_change(azure, role, RoleDraft(name, description, patterns, scopes), subscription)
    return _written(azure, plan, "Change", _changed_back(plan))


@part.change(
    Access.DESTROY,
    harmless=("subscription",),
    seconds=SECONDS,
    further_names=[further_name(role_definition_delete)],
)
async def delete_role_definition(azure: Arm, role: RoleText, subscription: Subscription = None) -> ResourceChange:
    """Delete a custom role. Azure rejects the deletion while anyone has the role."""
    place = await place_in(azure, subscription)
    found = await custom_role(azure, place, role)
    plan = RolePlan(id_of(place, found.key), dict(found.record), None)
    assigned, _ = await assigned_to(azure, plan)
    if assigned:
        raise Refusal(
            f"Nothing was done: {found.name} is still assigned {len(assigned)} times:"
            f" {'; '.join(assigned[:_MOST_SHOWN])}. Remove the assignments with remove_role_assignment."
        )
    return ResourceChange(
        azure,
        of_id("DELETE", plan.id, version=VERSION),
        on=plan.id,
        before=plan.before,
        judge=gone,
        call="list_role_definitions(custom=True)",
        shows=lambda _: shown(azure, plan, "Delete", _recreation(plan)),
        answers={"deleted": found.name, "id": found.key},
        effect="change",
    )
