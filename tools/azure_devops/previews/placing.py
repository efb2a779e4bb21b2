"""Looks up the names of a change's organization and project in the service, because approval rules use these names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from changes.preview import Place
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.finding import Unnamed
from clients.azure_devops.messages import DevOpsRequest
from tools.azure_devops.shared.field_names import PROJECT
from tools.azure_devops.shared.work_item_reading import items_of


async def placed(devops: AzureDevOps, given: Mapping[str, Any], named: Mapping[str, Place]) -> dict[str, Place]:
    """Return the places that a change affects, with the service's own names, because callers may pass ids or former
    project names. The parent of a new work item may belong to another project.
    """
    places = {**named, "organization": devops.organization.name}
    if "project" in named:
        places["project"] = await _project(devops, given, named["project"])
    if parent := given.get("parentId"):
        places["project"] = both(places.get("project"), await _project_of_item(devops, parent))
    return places


def both(one: Place, other: Place) -> Place:
    """Combine two places. If either is unknown, the result is unknown."""
    if one is None or other is None:
        return None
    names = [name for place in (one, other) for name in ([place] if isinstance(place, str) else place)]
    found = [name for number, name in enumerate(names) if name not in names[:number]]
    return found if len(found) > 1 else found[0] if found and isinstance(found[0], str) else found


async def _project_of_item(devops: AzureDevOps, item: int) -> Place:
    """Return the project of a work item, or None if the work item was not found."""
    return next((str(one["fields"][PROJECT]) for one in await items_of(devops, [item], [PROJECT])), None)


async def _project(devops: AzureDevOps, given: Mapping[str, Any], named: Place) -> Place:
    if isinstance(named, Unnamed):
        return None
    meant = devops.project_if_any(given["project"]) if "project" in given else None
    if meant is None or named not in (None, meant):
        return named
    return str((await devops.json(DevOpsRequest("GET /_apis/projects/{project}", {"project": meant})))["name"])
