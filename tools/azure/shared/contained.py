"""The resources that a group or a resource contains, and the resources that inherit a change from their scope.

For example, a role that is assigned to a group also applies to the resources in this group, so approval rules for these
resources apply to the assignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.azure.resource_scopes import VERSION
from clients.folding import folded
from clients.side_by_side import side_by_side
from refusal import Refusal

MOST_CONTAINED: Final = 1000
_MOST_INHERITING: Final = 5000
_MOST_GROUPS: Final = 50
_SECONDS: Final = 30.0
_GROUP_PARTS: Final = 4
# All resources in the scope of these resources inherit the effect of these resources.
_INHERITED_NAMESPACES: Final = frozenset(
    {
        "microsoft.authorization",
        "microsoft.blueprint",
        "microsoft.managedservices",
        "microsoft.policyinsights",
        "microsoft.security",
    }
)
_INHERITED_TYPES: Final = frozenset({"microsoft.maintenance/configurationassignments"})


def inheriting_scope(resource: ResourceId) -> ResourceId | None:
    """Return the scope whose resources inherit the effect of this resource, for example of a lock. None if there is no
    such scope.
    """
    is_inherited = resource.namespace.lower() in _INHERITED_NAMESPACES or resource.type.lower() in _INHERITED_TYPES
    if not is_inherited:
        return None
    last = max(place for place, word in enumerate(resource.segments) if place % 2 == 0 and word.lower() == "providers")
    return ResourceId(resource.segments[:last])


async def contained_in(azure: Azure, group: ResourceId, most: int = MOST_CONTAINED) -> ListPage:
    """Return the entries of all resources of a group in Azure's list of resources."""
    return await azure.page(of_id("GET", group, "/resources", version=VERSION), most)


def resource_of(entry: Mapping[str, Any]) -> ResourceId | None:
    """Return the ID in an entry, or None if the entry has no valid ID."""
    try:
        return ResourceId.of(str(entry.get("id") or ""))
    except Refusal:
        return None


def names_in(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the names of resources and of their parents. The name of a child is `parent/child`."""
    names: set[str] = set()
    for entry in entries:
        name, resource = str(entry.get("name") or ""), resource_of(entry)
        names |= {name, *name.split("/"), *(resource.names if resource else ())}
    return names - {""}


def is_in(entry: Mapping[str, Any], *scopes: ResourceId) -> bool:
    """Whether one of these groups or resources contains the resource with this entry."""
    return folded(str(entry.get("id") or "")).startswith(tuple(f"{scope.key}/" for scope in scopes))


async def contained_in_all(azure: Azure, scopes: Iterable[ResourceId]) -> tuple[Sequence[Mapping[str, Any]], bool]:
    """Return the entries of all resources that some groups and resources contain, and whether the list is complete.

    The resources of a whole subscription are not listed.
    """
    scopes = list(scopes)
    groups = {one.key: one for one in (ResourceId(scope.segments[:_GROUP_PARTS]) for scope in scopes if scope.group)}
    pages: dict[str, ListPage] = {}

    async def ask(group: ResourceId) -> None:
        try:
            pages[group.key] = await contained_in(azure, group, _MOST_INHERITING)
        except AzureRefusal as refusal:
            if refusal.status != 404:
                raise
            # A deployment can create the group and assign a role there.
            pages[group.key] = ListPage([])

    wanted = dict(list(groups.items())[:_MOST_GROUPS])
    await side_by_side(wanted, ask, seconds=_SECONDS)
    holders = [scope for scope in scopes if scope.group]
    found = [one for page in pages.values() for one in page.items if is_in(one, *holders)]
    are_all = all(scope.group for scope in scopes) and len(pages) == len(groups)
    return found, are_all and not any(page.has_more for page in pages.values())
