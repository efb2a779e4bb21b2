"""Creates resource groups, and deletes them with everything in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from changes.preview import Preview
from changes.undo import by_call, never
from clients.answers import Json, present
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import group_called
from clients.azure.resource_scopes import VERSION, scope_of
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource_changes.cascade import cascade_of, inspected_with
from tools.azure.resource_changes.contents import dependent_on, in_group
from tools.azure.resource_changes.inner_contents import inside
from tools.azure.resource_changes.tagging import Tags, check_tags, told_tags
from tools.azure.shared.applying import SECONDS, gone, made, read
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows
from tools.azure.shared.side_effects import side_effects_of_deleting

part = Part()

_LOCATION: Final = r"^[A-Za-z0-9 ]{2,60}$"

NewGroup = Annotated[
    str, Field(min_length=1, max_length=90, pattern=r"^[\w().-]*[\w()-]$", description="Name not in use yet")
]


@part.change(Access.WRITE, harmless=("resource_group", "location"), seconds=SECONDS)
async def create_resource_group(
    azure: Arm,
    resource_group: NewGroup,
    location: Annotated[str, Field(pattern=_LOCATION, description="Region, such as westeurope")],
    tags: Tags | None = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a new resource group. Ask the user if the region or name is unclear."""
    check_tags(tags or {})
    where = await azure.subscription(subscription)
    place = scope_of(where, resource_group)
    if await read(azure, of_id("GET", place, version=VERSION)) is not None:
        raise _is_there(place)

    def shown(_known: Inspected) -> Preview:
        return Preview(
            what=f"New resource group {resource_group} in {where.name}",
            sentence=f"Create the resource group {resource_group} in {where.name}",
            facts={
                "location": location,
                "subscription": where.name,
                "subscription id": where.id,
                "tags": told_tags(tags or {}),
            },
            undo=by_call("delete_resource_group", resource_group=resource_group, subscription=where.id),
        )

    request = of_id("PUT", place, body=present({"location": location, "tags": tags}), version=VERSION)
    change = _change(azure, request, place, None, shown, {"id": place.text, "location": location})
    return replace(change, within=[{"tags": tags or {}}])


def azure_resource_delete(resource_group: ResourceGroup, subscription: Subscription = None) -> dict[str, Any]:
    """Delete a resource group with everything in it."""
    return {"resource_group": resource_group, "subscription": subscription}


def _as_a_status(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer in the form of the public specification, which has other names for the status."""
    status = "Running" if answer["status"] == "under way" else "Succeeded"
    return present(
        {"id": answer["deleted"], "status": status, "note": answer.get("note"), "next": answer.get("look_again")}
    )


@part.change(
    Access.DESTROY,
    harmless=("resource_group",),
    further_names=[further_name(azure_resource_delete, gives=_as_a_status)],
    seconds=SECONDS,
)
async def delete_resource_group(
    azure: Arm, resource_group: ResourceGroup, subscription: Subscription = None
) -> ResourceChange:
    """Delete a resource group with everything in it. Irreversible: ask the user if it is unclear which group."""
    place = await group_called(azure, resource_group, subscription)
    where = await azure.subscription(place.subscription)

    async def shown(known: Inspected) -> Preview:
        own = await in_group(azure, place)
        cascade = await cascade_of(azure, [{"id": place.text}, *own.items])
        contents = cascade.joined(own)
        known = await inspected_with(azure, place, known, contents, cascade)
        inner = await inside(azure, contents.items)
        dependent, unknown = await dependent_on(azure, place)
        facts = {name: value for name, value in known.facts(place).items() if name != "type"} | contents.facts
        return Preview(
            what=f"Resource group {resource_group} of {where.name}, with everything in it",
            sentence=f"Delete the resource group {resource_group} of {where.name} with everything in it",
            facts={**facts, **inner.facts, **cascade.facts, "other resources that depend on it": dependent},
            places=inner.placed(known.places),
            grave=contents.grave,
            effects=side_effects_of_deleting(str(one["id"]) for one in contents.items),
            undo=never("its contents are deleted with it; a new group would be empty"),
            missing=[*known.missing, *contents.missing, *cascade.missing, *inner.missing, *unknown],
        )

    before = await azure.json(of_id("GET", place, version=VERSION))
    request = of_id("DELETE", place, version=VERSION)
    return _change(azure, request, place, before, shown, {"deleted": place.text})


def _change(
    azure: Azure,
    request: AzureRequest,
    place: ResourceId,
    before: Json | None,
    shows: Shows,
    answers: Mapping[str, Any],
) -> ResourceChange:
    return ResourceChange(
        azure,
        request,
        on=place,
        before=before,
        judge=gone if before else made,
        call=f"show_resource_group(resource_group={place.group!r}, subscription={place.subscription!r})",
        shows=shows,
        answers=answers,
        action=f"Microsoft.Resources/subscriptions/resourceGroups/{'delete' if before else 'write'}",
    )


def _is_there(place: ResourceId) -> Refusal:
    return Refusal(
        f"Resource group {place.name!r} already exists. Use show_resource_group to see the group, or tag_resources to"
        " change its tags."
    )
