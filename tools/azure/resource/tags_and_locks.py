"""Lists tags in use, and locks. A lock applies to its scope and everything in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import place_called
from clients.azure.resource_scopes import VERSION, quoted
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.everywhere import listed
from tools.azure.shared.parameters import AnyResourceGroup, IdOrName, MaxResults, Subscription

part = Part()

_LOCKS_VERSION: Final = "2020-05-01"
_LOCKS: Final = "/providers/Microsoft.Authorization/locks"
_MOST_VALUES: Final = 10

TagText = Annotated[str | None, Field(min_length=1, max_length=800, description="Example: env or env=prod")]


def tag_filter(tag: str | None) -> dict[str, str]:
    """Build a filter for resources that have a tag and, optionally, a specific value of the tag."""
    if not tag:
        return {}
    name, equals, value = tag.partition("=")
    test = f"tagName eq {quoted(name.strip())}"
    return {"$filter": f"{test} and tagValue eq {quoted(value.strip())}" if equals else test}


@part.tool(Access.READ)
async def list_azure_tags(azure: Arm, subscription: Subscription = None, max_results: MaxResults = 100) -> Json:
    """List the tags in use in a subscription, with values and counts."""

    async def read(scope: ResourceId) -> ListPage:
        return await azure.page(of_id("GET", scope, "/tagNames", version=VERSION), max_results)

    return await listed(azure, subscription, read, max_results, _tag)


def _tag(entry: Mapping[str, Any]) -> Json:
    entries = entry.get("values")
    values = [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []
    named = [f"{one.get('tagValue') or '(empty)'} ({at(one, 'count.value')})" for one in values[:_MOST_VALUES]]
    more = len(values) - _MOST_VALUES
    uses = {"name": entry.get("tagName"), "uses": at(entry, "count.value"), "values": named}
    return present(uses | {"moreValues": more if more > 0 else None})


@part.tool(Access.READ)
async def list_resource_locks(
    azure: Arm,
    resource_id: IdOrName | None = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List the locks on a resource, a group or (default) a subscription. Locks prevent deletion or changes.

    Includes inherited locks, and locks within a group that prevent its deletion.
    """

    async def read(scope: ResourceId) -> ListPage:
        page = await azure.page(of_id("GET", scope, _LOCKS, version=_LOCKS_VERSION), max_results)
        return replace(page, items=[_lock(one, scope) for one in page.items])

    if resource_id:
        place = await place_called(azure, resource_id)
        return many(await read(place), scope=place.text)
    return await listed(azure, subscription, read, max_results, group=resource_group)


def _lock(entry: Mapping[str, Any], scope: ResourceId) -> Json:
    lowered = str(entry.get("id", "")).lower()
    place = str(entry.get("id", ""))[: max(lowered.rfind(_LOCKS.lower()), 0)]
    relation = (
        "here" if place.lower() == scope.key else "inherited" if scope.key.startswith(f"{place.lower()}/") else ""
    )
    forbids = {"cannotdelete": "deletion", "readonly": "any change"}
    level = str(at(entry, "properties.level") or "")
    return present(
        {
            "name": entry.get("name"),
            "level": level,
            "forbids": forbids.get(level.lower()),
            "place": place,
            "where": relation or "below",
            "notes": at(entry, "properties.notes"),
        }
    )
