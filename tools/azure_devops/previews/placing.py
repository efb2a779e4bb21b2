"""Looks up the names of a change's organization and project in the service, because approval rules use these names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from changes.preview import Place
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.finding import Unnamed
from clients.azure_devops.messages import DevOpsRequest


async def placed(devops: AzureDevOps, given: Mapping[str, Any], named: Mapping[str, Place]) -> dict[str, Place]:
    """Return the places that a change affects, with the service's own names, because callers may pass ids or former
    project names.
    """
    places = {**named, "organization": devops.organization.name}
    if "project" in named:
        places["project"] = await _project(devops, given, named["project"])
    return places


async def _project(devops: AzureDevOps, given: Mapping[str, Any], named: Place) -> Place:
    if isinstance(named, Unnamed):
        return None
    meant = devops.project_if_any(given["project"]) if "project" in given else None
    if meant is None or named not in (None, meant):
        return named
    return str((await devops.json(DevOpsRequest("GET /_apis/projects/{project}", {"project": meant})))["name"])
