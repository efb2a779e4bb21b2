"""The places of a change, with the service's names for them, as approval rules use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from changes.preview import Place
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.finding import Unnamed
from clients.azure_devops.messages import DevOpsRequest


async def placed(devops: AzureDevOps, given: Mapping[str, Any], told: Mapping[str, Place]) -> dict[str, Place]:
    """The given places by the service's names, because a caller can pass an id or a former project name."""
    places = {**told, "organization": devops.organization.name}
    if "project" in told:
        places["project"] = await _project(devops, given, told["project"])
    return places


async def _project(devops: AzureDevOps, given: Mapping[str, Any], told: Place) -> Place:
    if isinstance(told, Unnamed):
        return None
    meant = devops.project_if_any(given["project"]) if "project" in given else None
    if meant is None or told not in (None, meant):
        return told
    return str((await devops.json(DevOpsRequest("GET /_apis/projects/{project}", {"project": meant})))["name"])
