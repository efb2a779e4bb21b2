"""Determines the owner of a resource from the tags of the resource or of its resource group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from retirements.scope import Scope

USUAL: Final = ("owner", "team", "contact")
_MOST: Final = 1000
# The maximum number of resource ids per query. With more IDs, the query would be too long.
_MOST_NAMED: Final = 60
_LONGEST: Final = 100
_GROUP_PARTS: Final = 5


def owner_in(tags: Mapping[str, Any], names: Sequence[str]) -> str:
    """Look up the tags with these names in order, and return the first value that is not empty."""
    by_name = {str(name).lower(): str(value).strip() for name, value in tags.items()}
    found = next((by_name[name.lower()] for name in names if by_name.get(name.lower())), "")
    return " ".join(found.split())[:_LONGEST]


def group_of(resource: str) -> str:
    """Return the lowercase id of a resource's group."""
    return "/".join(resource.lower().split("/")[:_GROUP_PARTS])


async def tags_of(azure: Azure, scope: Scope, resources: Iterable[str]) -> Mapping[str, Mapping[str, Any]]:
    """Read the tags of these resources. The keys are lowercase resource ids."""
    ids = sorted(resources)[:_MOST_NAMED]
    if not ids:
        return {}
    steps = (f"where id in~ ({', '.join(map(text_of, ids))})", *scope.steps, "project id, tags")
    return await _tags(azure, scope, "resources", *steps)


async def tags_of_groups(azure: Azure, scope: Scope, resources: Iterable[str]) -> Mapping[str, Mapping[str, Any]]:
    """Read the tags of the resource groups that contain these resources. The keys are lowercase group ids."""
    groups = {group_of(one) for one in resources}
    if not groups:
        return {}
    names = ", ".join(text_of(one) for one in sorted({one.rpartition("/")[2] for one in groups}))
    steps = (
        "where type =~ 'microsoft.resources/subscriptions/resourcegroups'",
        f"where name in~ ({names})",
        "project id, tags",
    )
    return await _tags(azure, scope, "resourcecontainers", *steps)


async def _tags(azure: Azure, scope: Scope, table: str, *steps: str) -> Mapping[str, Mapping[str, Any]]:
    rows = await rows_of(azure.send, ready_made(scope.subscriptions, table, *steps), _MOST)
    return {str(row.get("id")).lower(): row["tags"] for row in rows.items if isinstance(row.get("tags"), Mapping)}
