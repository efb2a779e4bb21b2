"""Deletes a deployment stack, with or without the resources that it manages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from changes.preview import Fact, Preview
from changes.undo import by_hand
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.resource_scopes import type_and_name
from clients.side_by_side import side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.stacks import StackName, records_in, stack_of, stack_request
from tools.azure.resource_changes.contents import ContainedResources, first_of, in_group
from tools.azure.resource_changes.inner_contents import inside
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, SeenOutcome, gone
from tools.azure.shared.everywhere import scope_called
from tools.azure.shared.inspecting import Inspected, facts_of, inspect
from tools.azure.shared.locks import refuse_locked
from tools.azure.shared.parameters import AnyResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange
from tools.azure.shared.severity import grave_of

part = Part()

_ENDED: Final = frozenset({"succeeded", "failed", "canceled"})
_OF_A_GROUP: Final = 4
_MOST_NAMED: Final = 200
_SECONDS: Final = 30.0
_DELETES: Final = "The change deletes resources."
_LIFTS: Final = "The change removes settings that prevent others from changing or deleting resources."
_UNTOLD: Final = "some of its resources: Azure gives no id for them"

OnUnmanage = Annotated[
    Literal["detach", "delete"], Field(description="Keep or delete managed resources; groups always stay")
]


@dataclass(frozen=True, slots=True)
class Unmanaged:
    """A stack to delete, and the action for its resources: keep or delete. Resource groups are never deleted."""

    stack: ResourceId
    found: Mapping[str, Any]
    action: str

    @property
    def managed(self) -> list[ResourceId]:
        return [ResourceId.of(str(one["id"])) for one in records_in(self.found, "resources") if one.get("id")]

    @property
    def deleted(self) -> list[ResourceId]:
        return [one for one in self.managed if self.action == "delete" and len(one.segments) > _OF_A_GROUP]

    @property
    def detached(self) -> list[ResourceId]:
        gone_too = {one.key for one in self.deleted}
        return [one for one in self.managed if one.key not in gone_too]

    @property
    def groups(self) -> list[ResourceId]:
        """The groups of the managed resources."""
        own = {one.key: one for one in map(_group_of, self.managed) if one}
        return [own[key] for key in sorted(own)]

    @property
    def is_untold(self) -> bool:
        """Whether Azure gives no id for some resources, so they can be anywhere."""
        return len(self.managed) < len(records_in(self.found, "resources"))

    @property
    def denies(self) -> bool:
        return str(at(self.found, "properties.denySettings.mode") or "none").lower() != "none"

    def facts(self, within: Sequence[Mapping[str, Any]]) -> dict[str, Fact]:
        managed = {one.key for one in self.managed}
        others = [ResourceId.of(str(one["id"])) for one in within if str(one["id"]).lower() not in managed]
        own = facts_of(self.found)
        return {
            "state": str(at(self.found, "properties.provisioningState") or ""),
            **{name: own[name] for name in ("created", "changed") if name in own},
            "last deployment": str(at(self.found, "properties.deploymentId") or "none"),
            "deny settings": str(at(self.found, "properties.denySettings.mode") or "none"),
            "deletes": _labels(self.deleted),
            "child resources that are also deleted": _labels(others) if self.action == "delete" else [],
            "detaches": _labels(self.detached),
        }

    def grave(self, lost: ContainedResources) -> str:
        """Return why another person has to approve."""
        graves = sorted({grave_of(one) for one in self.deleted} - {""})
        deletes = self.action == "delete" and (self.deleted or self.is_untold)
        reasons = [_DELETES if deletes else "", _LIFTS if self.denies else "", *graves, lost.grave if deletes else ""]
        return " ".join(filter(None, reasons))

    async def refuse_elsewhere(self, azure: Azure) -> None:
        """Refuse a stack that manages resources outside the allowed scope.

        Raises:
            Refusal: A managed resource is outside the allowed scope, or its id is unknown.
        """
        if azure.is_limited and self.is_untold:
            raise Refusal(
                "The stack manages resources for which Azure gives no id, so this server cannot check that"
                " they are in the allowed scope."
            )
        await azure.refuse_elsewhere([one.text for one in self.managed], [])


@part.change(
    Access.DESTROY,
    seconds=SECONDS,
    harmless=("name", "resource_group", "subscription", "action_on_unmanage"),
)
async def delete_deployment_stack(
    azure: Arm,
    name: StackName,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    action_on_unmanage: OnUnmanage = "detach",
) -> ResourceChange:
    """Delete a deployment stack. Its resources stay (detach) or are deleted: if it is unclear which, ask the user."""
    unmanaged = await _unmanaged(azure, name, resource_group, subscription, action_on_unmanage)
    stack = unmanaged.stack
    query = {
        "unmanageAction.Resources": action_on_unmanage,
        "unmanageAction.ResourceGroups": "detach",
        "unmanageAction.ManagementGroups": "detach",
    }
    return ResourceChange(
        azure,
        stack_request("DELETE", stack, query=query),
        on=stack,
        also=unmanaged.deleted,
        before=dict(unmanaged.found),
        looking=stack_request("GET", stack),
        judge=_judge,
        call=_call_of(stack),
        shows=lambda _: _preview(azure, unmanaged),
        answers={"deleted": stack.text, "resources": "deleted" if action_on_unmanage == "delete" else "detached"},
        action="Microsoft.Resources/deploymentStacks/delete",
    )


async def _preview(azure: Azure, unmanaged: Unmanaged) -> Preview:
    """Preview which resources are deleted and which stay."""
    within, unread = await _within(azure, unmanaged)
    known = await _looked_at(azure, unmanaged, within)
    lost, stack = ContainedResources(within), unmanaged.stack
    inner = await inside(azure, within if unmanaged.deleted else [])
    what = f"and delete {len(unmanaged.deleted)} resources" if unmanaged.deleted else "and keep its resources"
    return Preview(
        what=f"{stack.name} of {_scope_of(stack).text}",
        sentence=f"Delete the deployment stack {stack.name} {what}",
        facts={**unmanaged.facts(within), **(lost.facts if unmanaged.deleted else {}), **inner.facts},
        places=known.places,
        grave=unmanaged.grave(lost),
        effects=["The stack's deny settings no longer apply"] if unmanaged.denies else [],
        undo=by_hand("deploy the stack again; deleted resources are not restored"),
        touches=max(len(unmanaged.managed), 1),
        missing=[*known.missing, *unread, *inner.missing, *([_UNTOLD] if unmanaged.is_untold else [])],
    )


def _scope_of(stack: ResourceId) -> ResourceId:
    """Return the group or subscription of a stack."""
    return ResourceId(stack.segments[: 4 if stack.group else 2])


async def _unmanaged(azure: Azure, name: str, group: str | None, subscription: str | None, action: str) -> Unmanaged:
    stack = stack_of(await scope_called(azure, group, subscription), name)
    unmanaged = Unmanaged(stack, await azure.json(stack_request("GET", stack)), action)
    state = str(at(unmanaged.found, "properties.provisioningState") or "")
    if state.lower() not in _ENDED:
        raise Refusal(
            f"Another operation on the stack is running ({state}), so nothing was done. Check the stack with"
            f" {_call_of(stack)}."
        )
    await unmanaged.refuse_elsewhere(azure)
    return unmanaged


async def _looked_at(azure: Azure, unmanaged: Unmanaged, within: Sequence[Mapping[str, Any]] = ()) -> Inspected:
    """Return what is known about the stack, its resources and their groups, including locks.

    Raises:
        Refusal: A lock prevents the deletion.
    """
    stack = unmanaged.stack
    known = await inspect(
        azure,
        stack,
        *unmanaged.groups,
        *unmanaged.managed,
        seen=[{**unmanaged.found, "id": stack.text}, *map(dict, within)],
        within=within,
        reaches_more=unmanaged.is_untold,
    )
    refuse_locked(known.locks, [stack, *unmanaged.deleted], "delete")
    return known


async def _within(azure: Azure, unmanaged: Unmanaged) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Return a stack's resources and their child resources. Also return what could not be read."""
    groups = {one.text: one for one in unmanaged.groups}
    found: list[Mapping[str, Any]] = []
    missing: list[str] = []

    async def ask(name: str) -> None:
        contents = await in_group(azure, groups[name])
        found.extend(contents.items)
        missing.extend(f"{name}: {one}" for one in contents.missing)

    reading = await side_by_side({name: name for name in groups}, ask, seconds=_SECONDS)
    missing += [f"{name}: {reading.reason(name)}" for name in groups if name not in reading.read]
    keys = [one.key for one in unmanaged.managed if len(one.segments) > _OF_A_GROUP]
    own = [one for one in found if _is_part(str(one.get("id") or "").lower(), keys)]
    return sorted(own, key=lambda one: str(one["id"]).lower()), sorted(missing)


def _is_part(key: str, managed: Sequence[str]) -> bool:
    return any(key == one or key.startswith(f"{one}/") for one in managed)


def _group_of(resource: ResourceId) -> ResourceId | None:
    return ResourceId(resource.segments[:_OF_A_GROUP]) if resource.group else None


def _labels(resources: Sequence[ResourceId]) -> list[str]:
    return first_of(sorted(map(_label, resources)), _MOST_NAMED)


def _label(resource: ResourceId) -> str:
    if len(resource.segments) <= _OF_A_GROUP:
        return f"resource group {resource.name}" if resource.group else f"management group {resource.name}"
    return f"{' '.join(type_and_name(resource.text))} of {resource.group or 'no group'}"


def _call_of(stack: ResourceId) -> str:
    group = f", resource_group={stack.group!r}" if stack.group else ""
    return f"show_deployment_stack(name={stack.name!r}{group}, subscription={stack.subscription!r})"


def _judge(found: Json | None) -> SeenOutcome:
    """Determine the result of the deletion from the stack's state. If the deletion failed, some resources may already
    be deleted.
    """
    is_failed = str(at(found or {}, "properties.provisioningState")).lower() == "failed"
    return SeenOutcome.UNCLEAR if is_failed else gone(found)
