"""The settings that the app knows, and the templates that have to give them."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final

from settings import OWN_GROUPS
from tests.infra.deployed import INFRA, Deployed
from tools import PROVIDERS

DEPLOYED: Final = Deployed.of(INFRA)
MAIN: Final = DEPLOYED.templates["main"]
PARAMETERS: Final[dict[str, Any]] = json.loads((INFRA / "main.parameters.json").read_text(encoding="utf-8"))[
    "parameters"
]
GROUPS: Final = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
SETTINGS: Final = {entry.metadata["name"]: entry for group in GROUPS for entry in fields(group)}
SECRET: Final = {name for name, entry in SETTINGS.items() if not entry.repr}
# What the app knows and no template gives, with the reason.
OF_THE_PLATFORM_OR_A_LAPTOP: Final = {
    "AzureWebJobsStorage",  # a connection string is for the emulator; on Azure the identity signs in
    "STORAGE_FOLDER",  # takes the place of a storage account on a laptop
    "EXTENSION_TRUSTED",  # on Azure, somebody agrees to each server
    "RESOURCES_FOLDER",  # a folder is for a laptop
    "GIT_WORKSPACES_FOLDER",
    "COSMOS_EMULATOR_KEY",  # an emulator is on this machine
    "COSMOS_EMULATOR_TENANT",
    "UPDATES_SAMPLE",  # invented updates are for a laptop
    "AZURE_TENANT_ID",  # on Azure the identity is of one tenant
    "MCP_RULES_WITHOUT_SIGN_IN",  # on Azure, whoever changes something has signed in
    "WEBSITE_AUTH_ENABLED",  # Azure sets it where App Service authentication is on
    "WEBSITE_HOSTNAME",  # Azure sets it
    "WEBSITE_INSTANCE_ID",  # Azure alone sets this and the next three: they tell that it runs the app
    "WEBSITE_SKU",
    "WEBSITE_POD_NAME",
    "LEGION_SERVICE_HOST",
    "AZURE_FUNCTIONS_ENVIRONMENT",  # a developer's tools set it
}
