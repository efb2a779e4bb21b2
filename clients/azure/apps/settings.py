"""The settings of an app of App Service or Functions: which there are, and never what they say."""

from __future__ import annotations

from typing import Final, Literal

from clients.azure.apps.sorts import SITE
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import Page, of_id

Settings = Literal["appsettings", "connectionstrings"]

_MOST: Final = 1000


async def names_of(azure: Azure, app: ResourceId, what: Settings) -> list[str]:
    """Their names, which Azure tells only together with their values; these are left behind as the answer is read."""
    line = f"/config/{what}/list"
    found = await azure.json(of_id("POST", app, line, is_read=True, only_names=True, version=SITE.version))
    names: list[str] = found["names"]
    return names


async def vault_references(azure: Azure, app: ResourceId) -> Page:
    """The settings that stand for a secret in a vault, and whether it was found there."""
    return await azure.page(of_id("GET", app, "/config/configreferences/appsettings", version=SITE.version), _MOST)
