"""Deletes a resource of any type."""

from __future__ import annotations

from typing import Final

from changes.plain_names import kind_in_words
from changes.preview import Preview
from changes.undo import Undo, by_hand, never
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import is_id, place_called
from clients.azure.resource_scopes import type_and_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.reading.readable import readable
from tools.azure.resource_changes.cascade import cascade_of, inspected_with
from tools.azure.resource_changes.contents import below, dependent_on
from tools.azure.resource_changes.inner_contents import inside
from tools.azure.resource_changes.losses import is_lost, kept_for
from tools.azure.resource_changes.undeleting import brought_back
from tools.azure.shared.access_in_words import assignment_in_words
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import SECONDS, gone
from tools.azure.shared.contents_in_words import deleted_in_words
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import IdOrName
from tools.azure.shared.resource_change import ResourceChange
from tools.azure.shared.severity import grave_of
from tools.azure.shared.side_effects import side_effects_of_deleting

part = Part()

_OTHERS: Final = {
    "microsoft.resources/subscriptions/resourcegroups": "Use delete_resource_group to delete a group.",
    "microsoft.authorization/locks": "Use delete_resource_lock to delete a lock.",
    "microsoft.resources/deploymentstacks": "Use delete_deployment_stack, which shows what happens to the stack's"
    " resources.",
}


@part.change(Access.DESTROY, harmless=("resource_id",), seconds=SECONDS)
async def delete_azure_resource(azure: Arm, resource_id: IdOrName) -> ResourceChange:
    """Delete a resource of any type with its child resources. If it is unclear which resource, ask the user."""
    resource = await _deletable(azure, resource_id)
    return ResourceChange(
        azure,
        of_id("DELETE", resource),
        on=resource,
        before=await azure.json(of_id("GET", resource)),
        judge=gone,
        call=f"show_resource(resource_id={resource.text!r})",
        shows=lambda known: deletion(azure, resource, known),
        answers={"deleted": resource.text},
    )


async def deletion(azure: Azure, resource: ResourceId, known: Inspected) -> Preview:
    """Preview a deletion: the resource, its child resources, and what depends on it."""
    own = {**(known.document(resource) or {}), "id": resource.text}
    children = await below(azure, resource)
    cascade = await cascade_of(azure, [own, *children.items])
    contents = cascade.joined(children)
    known = await inspected_with(azure, resource, known, contents, cascade)
    inner = await inside(azure, [own, *contents.items])
    dependent, unknown = await dependent_on(azure, resource)
    kind, name = type_and_name(resource.text)
    lost = f"The data in {name} cannot be restored." if is_lost(kind) else ""
    kept = kept_for(kind)
    where = f" of the group {resource.group}" if resource.group else ""
    what = f"{kind} {name}{where}"
    called = await _label(azure, resource, known.document(resource) or {})
    return Preview(
        what=what,
        sentence=f"Delete the {called}{where}",
        facts={
            **known.facts(resource),
            **(contents.facts if contents.items else {}),
            **inner.facts,
            **cascade.facts,
            "can be recovered": f"for {kept}" if kept else "no",
            "other resources that depend on it": dependent,
        },
        places=inner.placed(known.places),
        effects=side_effects_of_deleting([resource.text, *(str(one["id"]) for one in contents.items)]),
        grave=grave_of(resource) or lost or contents.grave,
        undo=brought_back(resource) or _undo(kept),
        missing=[*known.missing, *contents.missing, *cascade.missing, *inner.missing, *unknown],
    )


async def _label(azure: Azure, resource: ResourceId, document: Json) -> str:
    kind, name = type_and_name(resource.text)
    if granted := await assignment_in_words(azure, resource, document):
        return f"{kind_in_words(kind)} ({granted})"
    return deleted_in_words(resource, document) or f"{kind_in_words(kind)} {name}"


def _undo(kept: str) -> Undo:
    return by_hand(f"it can be recovered for {kept}") if kept else never("it would have to be created again")


async def _deletable(azure: Azure, text: str) -> ResourceId:
    resource = readable(text).id if is_id(text) else await place_called(azure, text)
    if other := _OTHERS.get(resource.type.lower()):
        raise Refusal(other)
    if resource.is_list or len(resource.segments) <= 2:
        raise Refusal(
            "The id belongs to a list or a subscription. Pass the id of one resource; list_resources shows ids."
        )
    return resource
