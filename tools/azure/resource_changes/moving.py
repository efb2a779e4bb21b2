"""Moves resources to another group or subscription, after Azure has validated the move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import by_call
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.long_operations import StillAtItRefusal
from clients.azure.messages import of_id
from clients.azure.named import groups_called
from clients.azure.resource_scopes import VERSION
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource_changes.contents import dependent_on
from tools.azure.resource_changes.many import ResourceIds, ids_of, short_names
from tools.azure.shared.applying import SECONDS, few_or_number, made
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_SECONDS_OF_ASKING: Final = 100.0
_GROUP_PARTS: Final = 4
_MOST_ASKED_ABOUT: Final = 5
_NOTE: Final = (
    "Both groups are locked during the move, possibly for hours: their resources can be used, but not changed or"
    " deleted. Ids change: dashboards, alerts and scripts that use them must be updated. Hidden tags, and role"
    " assignments on the resources themselves, are not moved."
)

TargetGroup = Annotated[str, Field(min_length=1, max_length=90, description="Existing target group")]


@dataclass(frozen=True, slots=True)
class _Move:
    ids: Sequence[ResourceId]
    source: ResourceId
    target: ResourceId

    @property
    def body(self) -> Mapping[str, Any]:
        return {"resources": [one.text for one in self.ids], "targetResourceGroup": self.target.text}

    def after(self, one: ResourceId) -> ResourceId:
        return ResourceId((*self.target.segments, *one.segments[_GROUP_PARTS:]))


@part.change(Access.DESTROY, harmless=("resource_ids", "target_group"), seconds=SECONDS)
async def move_resources(
    azure: Arm, resource_ids: ResourceIds, target_group: TargetGroup, target_subscription: Subscription = None
) -> ResourceChange:
    """Move resources of one group to another group or subscription: their ids change, which affects dependents.

    Move dependent resources together, such as a server with its databases.
    """
    move = await _move(azure, resource_ids, target_group, target_subscription)
    first = move.ids[0]
    return ResourceChange(
        azure,
        of_id("POST", move.source, "/moveResources", body=move.body, version=VERSION),
        on=move.source,
        also=[*move.ids, move.target],
        inherited_from=move.ids,
        before=None,
        looking=of_id("GET", move.after(first)),
        judge=made,
        call=f"list_resources(resource_group={move.target.group!r}, subscription={move.target.subscription!r})",
        shows=lambda known: _preview(azure, move, known),
        answers={"to": move.target.text, "ids": few_or_number([move.after(one).text for one in move.ids])},
        action="Microsoft.Resources/subscriptions/resourceGroups/moveResources/action",
        # Azure itself validates the move, and moves resources in their current state.
        looks_again=False,
    )


async def _preview(azure: Azure, move: _Move, known: Inspected) -> Preview:
    if known.document(move.target) is None:
        raise Refusal(f"Target group {move.target.name!r} not found. Use create_resource_group to create the group.")
    if stray := [one.text for one in move.ids if one.key not in known.refused and known.document(one) is None]:
        raise Refusal(f"{stray[0]} not found. Use list_resources to find ids.")
    unknown = await _not_movable(azure, move)
    named, unread = await _outside_references(azure, move)
    names = short_names(move.ids)
    is_far = move.source.subscription.lower() != move.target.subscription.lower()
    listed = ", ".join(sorted(names.values()))
    own = [move.after(one).text for one in move.ids]
    return Preview(
        what=f"Move of {listed} to the group {move.target.name}",
        sentence=f"Move {listed} from the group {move.source.name} to the group {move.target.name}",
        facts={
            "from": move.source.text,
            "to": move.target.text,
            "resources": len(move.ids),
            "other resources that reference them": named,
        },
        edits=[Edit(names[one.key], one.text, move.after(one).text) for one in move.ids],
        grave="The permissions, policies and billing of the current subscription no longer apply to the resources."
        if is_far
        else "",
        effects=["Locks both groups during the move, possibly for hours", "Changes the ids of moved resources"],
        undo=by_call(
            "move_resources",
            resource_ids=own,
            target_group=move.source.name,
            target_subscription=move.source.subscription,
        ),
        touches=len(move.ids),
        missing=[*unknown, *unread],
        notes=[_NOTE],
    )


async def _move(azure: Azure, texts: Sequence[str], group: str, subscription: str | None) -> _Move:
    ids = await ids_of(azure, texts)
    sources = {one.key: one for one in (ResourceId(one.segments[:_GROUP_PARTS]) for one in ids)}
    if len(sources) > 1 or not ids[0].group or any(len(one.segments) <= _GROUP_PARTS for one in ids):
        raise Refusal("Pass the ids of resources in a single group. Make one call per group.")
    source = next(iter(sources.values()))
    target = await _target(azure, source, group, subscription)
    if target.key == source.key:
        raise Refusal(f"The resources are already in the group {target.name!r}.")
    return _Move(ids, source, target)


async def _target(azure: Azure, source: ResourceId, group: str, subscription: str | None) -> ResourceId:
    """Return the group with this name in the source's subscription or, if there is none, in the other subscriptions.

    In the other subscriptions, the name must be unique.
    """
    there = await groups_called(azure, group, subscription)
    near = [one for one in there if one.subscription.lower() == source.subscription.lower()]
    if len(near or there) > 1:
        raise Refusal(f"Several subscriptions have a group {group!r}. Pass `target_subscription`.")
    return (near or there)[0]


async def _not_movable(azure: Azure, move: _Move) -> list[str]:
    """Ask Azure to validate the move.

    Refuse an invalid move. If Azure has not finished validating, return a note that says so.
    """
    request = of_id("POST", move.source, "/validateMoveResources", body=move.body, is_read=True, version=VERSION)
    try:
        await azure.outcome(request, _SECONDS_OF_ASKING)
    except StillAtItRefusal:
        return ["whether Azure can move them: still validating after 100 seconds"]
    return []


async def _outside_references(azure: Azure, move: _Move) -> tuple[list[str], list[str]]:
    found: set[str] = set()
    missing: set[str] = set()
    for one in move.ids[:_MOST_ASKED_ABOUT]:
        named, unread = await dependent_on(azure, one)
        found, missing = found | set(named), missing | set(unread)
    more = len(move.ids) - _MOST_ASKED_ABOUT
    return sorted(found), [*sorted(missing), *([f"references to {more} more resources"] if more > 0 else [])]
