"""Deleting one resource of any type."""

from __future__ import annotations

from typing import Final

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.changing.contents import below, dependent_on
from tools.azure.changing.graveness import grave_of
from tools.azure.changing.losses import is_lost, kept_for
from tools.azure.provider import Arm
from tools.azure.reading.readable import readable
from tools.azure.resource.places import type_and_name
from tools.azure.shared.answers import Json
from tools.azure.shared.doing import SECONDS, Look, change, gone
from tools.azure.shared.parameters import ResourceIdText
from tools.azure.shared.previews import look_at

part = Part()

_OTHERS: Final = {
    "microsoft.resources/subscriptions/resourcegroups": "delete_resource_group deletes a group.",
    "microsoft.authorization/locks": "delete_resource_lock deletes a lock.",
}


async def _resource_gone(azure: Arm, resource_id: str) -> Preview:
    return await deletion(azure, _deletable(resource_id))


async def deletion(azure: Azure, resource: ResourceId) -> Preview:
    """What goes with a resource: what it is, what is a part of it, and what depends on it.

    Raises:
        Refusal: It is not there, or a lock forbids it.
    """
    found = await azure.json(of_id("GET", resource))
    contents = await below(azure, resource)
    known = await look_at(azure, resource, seen=[{**found, "id": resource.text}], within=contents.items)
    known.refuse_locked("delete")
    dependent, unknown = await dependent_on(azure, resource)
    kind, name = type_and_name(resource.text)
    lost = f"What {name} holds cannot be restored." if is_lost(kind) else ""
    kept = kept_for(kind)
    return Preview(
        what=f"{kind} {name}" + (f" of the group {resource.group}" if resource.group else ""),
        facts={
            **known.facts(resource),
            **(contents.facts if contents.items else {}),
            "can be recovered": f"for {kept}" if kept else "no: it would have to be made again",
            "outside depends on it": dependent,
        },
        places=known.places,
        grave=grave_of(resource) or lost or contents.grave,
        missing=[*known.missing, *contents.missing, *unknown],
    )


@part.tool(Access.DESTROY, previewed=_resource_gone, harmless=("resource_id",), seconds=SECONDS)
async def delete_azure_resource(azure: Arm, resource_id: ResourceIdText) -> Json:
    """Delete a resource of any type, with what is a part of it. Not clear which? Ask the user."""
    resource = _deletable(resource_id)
    look = Look(of_id("GET", resource), gone, f"show_resource(resource_id={resource.text!r})")
    return (await change(azure, of_id("DELETE", resource), look)).told(deleted=resource.text)


def _deletable(text: str) -> ResourceId:
    resource = readable(text).id
    if other := _OTHERS.get(resource.type.lower()):
        raise Refusal(f"This is no id of a single resource. {other}")
    if resource.is_list or len(resource.segments) <= 2:
        raise Refusal("This is the id of a list or a subscription: pass that of one resource. list_resources has ids.")
    return resource
