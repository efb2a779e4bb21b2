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
# What the app knows and no template gives.
OF_THE_PLATFORM_OR_A_LAPTOP: Final = {
    name for name, entry in SETTINGS.items() if entry.metadata["set_by"] in {"azure", "laptop"}
}
