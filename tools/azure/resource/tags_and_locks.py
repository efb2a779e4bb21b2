"""Tags that are in use, and locks, which hold for everything below where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure.ids import ResourceId
from clients.azure.messages import Request, of_id
from mcp_server.declarations.toolset import Access, Part
from tools.azure.provider import Arm
from tools.azure.resource.places import VERSION, scope_of
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, ResourceIdText, Subscription

part = Part()

_LOCKS_VERSION: Final = "2020-05-01"
_LOCKS: Final = "/providers/Microsoft.Authorization/locks"
_MOST_VALUES: Final = 10

TagText = Annotated[str | None, Field(min_length=1, max_length=800, description="Such as env or env=prod")]


def tag_filter(tag: str | None) -> dict[str, str]:
    """The query that asks for what has a tag, or a tag of this value."""
    if not tag:
        return {}
    name, equals, value = tag.partition("=")
    test = f"tagName eq {quoted(name.strip())}"
    return {"$filter": f"{test} and tagValue eq {quoted(value.strip())}" if equals else test}


def quoted(text: str) -> str:
    """A text as a filter of Resource Manager has it."""
    return "'" + text.replace("'", "''") + "'"


@part.tool(Access.READ)
async def list_azure_tags(azure: Arm, subscription: Subscription = None, max_results: MaxResults = 100) -> Json:
    """List the tags in use in a subscription, with values and counts."""
    where = await azure.subscription(subscription)
    request = Request("GET /subscriptions/{subscription}/tagNames", {"subscription": where.id}, version=VERSION)
    return many(await azure.page(request, max_results), _tag, subscription=where.name)


def _tag(entry: Mapping[str, Any]) -> Json:
    told = entry.get("values")
    values = [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []
    named = [f"{one.get('tagValue') or '(empty)'} ({at(one, 'count.value')})" for one in values[:_MOST_VALUES]]
    more = len(values) - _MOST_VALUES
    uses = {"name": entry.get("tagName"), "uses": at(entry, "count.value"), "values": named}
    return present(uses | {"moreValues": more if more > 0 else None})


@part.tool(Access.READ)
async def list_resource_locks(
    azure: Arm,
    resource_id: ResourceIdText | None = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List locks, which forbid to delete or to change: on a resource, else a group, else a subscription.

    With those inherited, and those on what is below: they keep a group from deletion.
    """
    if resource_id:
        scope = ResourceId.of(resource_id)
    else:
        scope = scope_of(await azure.subscription(subscription), resource_group)
    page = await azure.page(of_id("GET", scope, _LOCKS, version=_LOCKS_VERSION), max_results)
    return many(page, lambda lock: _lock(lock, scope), scope=scope.text)


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
