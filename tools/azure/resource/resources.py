"""Lists resources of any type, and shows a resource by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.answers import Extent
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.azure.named import place_called
from clients.azure.resource_scopes import VERSION, quoted, type_and_name
from mcp_server.declarations.field import Field
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.tags_and_locks import TagText, tag_filter
from tools.azure.resource.trimming import trimmed
from tools.azure.shared.answers import Json, answer, shape
from tools.azure.shared.everywhere import listed
from tools.azure.shared.parameters import MOST_RESULTS, AnyResourceGroup, IdOrName, MaxResults, Subscription

part = Part()

_RESOURCE: Final = shape("id", "location", "kind", sku="sku.name")
_OWN: Final = ("id", "name", "type", "location", "kind", "sku", "tags", "zones", "managedBy", "plan")

ResourceType = Annotated[
    str | None,
    Field(pattern=r"^[A-Za-z0-9.]+(/[A-Za-z0-9.-]+)+$", max_length=200, description="Example: Microsoft.Web/sites"),
]
Detail = Annotated[Extent, Field(description="full: complete JSON")]


def azure_resource_list(
    resource_group: AnyResourceGroup = None, resource_type: ResourceType = None, subscription: Subscription = None
) -> dict[str, Any]:
    """List resources with id, name, type and location."""
    named = {"resource_group": resource_group, "resource_type": resource_type, "subscription": subscription}
    return {**named, "max_results": MOST_RESULTS}


def list_resources_by_type(
    resource_type: Annotated[str, Field(max_length=200, description="Example: Microsoft.Web/sites")],
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
) -> dict[str, Any]:
    """List the resources of one type."""
    return {"resource_type": resource_type, "resource_group": resource_group, "subscription": subscription}


def _in_full(listed: dict[str, Any]) -> dict[str, Any]:
    """Return a resource list with the field names of the public specification."""
    beginning = listed.get("idsBeginWith", "")
    rows = ({**listed.get("sameInAll", {}), **one} for one in listed["items"])
    resources = [_as_specified(f"{beginning}{one.get('id', '')}", one) for one in rows]
    said: Json = {name: listed[name] for name in ("untrusted", "more", "notRead") if name in listed}
    return {**said, "resources": resources}


def _as_specified(text: str, record: Mapping[str, Any]) -> Json:
    kind, name = type_and_name(text)
    return {"id": text, "name": name, "type": kind, "location": record.get("location", "")}


@part.tool(
    Access.READ,
    further_names=[further_name(azure_resource_list, gives=_in_full), further_name(list_resources_by_type)],
)
async def list_resources(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    resource_type: ResourceType = None,
    name: Annotated[str | None, Field(min_length=1, max_length=260, description="Part of the name")] = None,
    tag: TagText = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List what is in a group or subscription, as ids that contain type and name.

    Put the text of `idsBeginWith` in front of each id. A tag cannot be combined with type or name. If the group or
    subscription is unclear, ask the user.
    """
    if tag and (resource_type or name):
        raise Refusal(
            "Azure cannot combine a tag with other filters. Omit resource_type and name, or use survey_resources."
        )
    query = tag_filter(tag) or _filter(resource_type, name)

    async def read(scope: ResourceId) -> ListPage:
        return await azure.page(of_id("GET", scope, "/resources", query=query, version=VERSION), max_results)

    return await listed(azure, subscription, read, max_results, _RESOURCE, group=resource_group)


def _filter(resource_type: str | None, name: str | None) -> dict[str, str]:
    tests = [
        *([f"resourceType eq {quoted(resource_type)}"] if resource_type else []),
        *([f"substringof({quoted(name)}, name)"] if name else []),
    ]
    return {"$filter": " and ".join(tests)} if tests else {}


@part.tool(Access.READ)
async def show_resource(azure: Arm, resource_id: IdOrName, detail: Detail = "summary") -> Json:
    """Show any resource by its id or name: settings (`properties`), tags, size, identity."""
    place = await place_called(azure, resource_id)
    if place.is_list or len(place.segments) < 2:
        raise Refusal(
            "`resource_id` is the id of a list. Use list_resources to list resources, or read_azure to read what a"
            " resource contains."
        )
    found = await azure.json(of_id("GET", place))
    if detail == "full":
        return answer(**found)
    short, left_out = trimmed(found.get("properties"))
    own = {name: found.get(name) for name in _OWN}
    more = f"{left_out} long or deeply nested parts are omitted; detail=full shows them." if left_out else None
    return answer(**own, identity=_identity(found), properties=short, more=more)


def _identity(found: Mapping[str, Any]) -> Any:
    identity = found.get("identity")
    return identity.get("type") if isinstance(identity, Mapping) else None
