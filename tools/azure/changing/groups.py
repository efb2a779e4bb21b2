"""Making resource groups, and deleting them with everything in them."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.failures import ServiceRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.answers import Json, present
from tools.azure.changing.contents import dependent_on, in_group
from tools.azure.changing.tagging import Tags, check_tags, told_tags
from tools.azure.provider import Arm
from tools.azure.resource.places import VERSION, scope_of
from tools.azure.shared.doing import SECONDS, Look, change, gone, made
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.previews import look_at

part = Part()

_LOCATION: Final = r"^[A-Za-z0-9 ]{2,60}$"

NewGroup = Annotated[
    str, Field(min_length=1, max_length=90, pattern=r"^[\w().-]*[\w()-]$", description="Its name, which is free")
]


async def _group_made(
    azure: Arm, resource_group: str, location: str, tags: Tags | None = None, subscription: Subscription = None
) -> Preview:
    check_tags(tags or {})
    where = await azure.subscription(subscription)
    place = scope_of(where, resource_group)
    known = await look_at(azure, place, within=[{"tags": tags or {}}])
    if known.document(place) is not None:
        raise _is_there(place)
    known.refuse_locked("change")
    return Preview(
        what=f"New resource group {resource_group} in {where.name}",
        facts={
            "location": location,
            "subscription": where.name,
            "subscription id": where.id,
            "tags": told_tags(tags or {}),
        },
        places=known.places,
        missing=known.missing,
    )


@part.tool(Access.WRITE, previewed=_group_made, harmless=("resource_group", "location"), seconds=SECONDS)
async def create_resource_group(
    azure: Arm,
    resource_group: NewGroup,
    location: Annotated[str, Field(pattern=_LOCATION, description="Region, such as westeurope")],
    tags: Tags | None = None,
    subscription: Subscription = None,
) -> Json:
    """Create a resource group that is not there yet. Region or name not clear? Ask the user."""
    check_tags(tags or {})
    place = scope_of(await azure.subscription(subscription), resource_group)
    if await _exists(azure, place):
        raise _is_there(place)
    body = present({"location": location, "tags": tags})
    done = await change(azure, of_id("PUT", place, body=body, version=VERSION), _look(place, is_made=True))
    return done.told(id=place.text, location=location)


async def _group_gone(azure: Arm, resource_group: str, subscription: Subscription = None) -> Preview:
    where = await azure.subscription(subscription)
    place = scope_of(where, resource_group)
    contents = await in_group(azure, place)
    known = await look_at(azure, place, within=contents.items)
    known.refuse_locked("delete")
    dependent, unknown = await dependent_on(azure, place)
    facts = {name: value for name, value in known.facts(place).items() if name != "type"}
    return Preview(
        what=f"Resource group {resource_group} of {where.name}, with all that is in it",
        facts={**facts, **contents.facts, "outside depends on it": dependent},
        places=known.places,
        grave=contents.grave,
        missing=[*known.missing, *contents.missing, *unknown],
    )


def azure_resource_delete(resource_group: ResourceGroup, subscription: Subscription = None) -> dict[str, Any]:
    """Delete a resource group with all that is in it."""
    return {"resource_group": resource_group, "subscription": subscription}


def _as_a_status(told: dict[str, Any]) -> dict[str, Any]:
    """What the public specification calls a status like that of a deployment."""
    status = "Running" if told["status"] == "under way" else "Succeeded"
    return present({"id": told["deleted"], "status": status, "note": told.get("note"), "next": told.get("look_again")})


@part.tool(
    Access.DESTROY,
    previewed=_group_gone,
    harmless=("resource_group",),
    further_names=[further_name(azure_resource_delete, gives=_as_a_status)],
    seconds=SECONDS,
)
async def delete_resource_group(azure: Arm, resource_group: ResourceGroup, subscription: Subscription = None) -> Json:
    """Delete a resource group with everything in it. It is not undone: not clear which? Ask the user."""
    place = scope_of(await azure.subscription(subscription), resource_group)
    done = await change(azure, of_id("DELETE", place, version=VERSION), _look(place, is_made=False))
    return done.told(deleted=place.text)


def _look(place: ResourceId, *, is_made: bool) -> Look:
    call = f"show_resource_group(resource_group={place.group!r}, subscription={place.subscription!r})"
    return Look(of_id("GET", place, version=VERSION), made if is_made else gone, call)


def _is_there(place: ResourceId) -> Refusal:
    return Refusal(
        f"There is a resource group {place.name!r} already. show_resource_group shows it, tag_resources tags it."
    )


async def _exists(azure: Azure, place: ResourceId) -> bool:
    try:
        await azure.send(of_id("HEAD", place, version=VERSION))
    except ServiceRefusal as refusal:
        if refusal.status != 404:
            raise
        return False
    return True
