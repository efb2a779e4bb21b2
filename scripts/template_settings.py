"""Generates the list of settings in the template's parameters, from the settings that operators set."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

from settings import OWN_GROUPS
from tools import PROVIDERS

_ROOT = Path(__file__).parent.parent
_PARAMETERS = "infra/main.parameters.json"
_SETTINGS = re.compile(r'(?<="settings": \{\n      "value": )\{.*?\n      \}', re.DOTALL)


def files() -> dict[str, str]:
    """Return the parameters of the template with the current settings. The other parameters stay unchanged."""
    text = (_ROOT / _PARAMETERS).read_text(encoding="utf-8")
    given = {name: f"${{{name}}}" for name in _names()}
    listed = json.dumps(given, indent=2).replace("\n", "\n      ")
    return {_PARAMETERS: _SETTINGS.sub(lambda _: listed, text)}


def _names() -> list[str]:
    """The settings that operators set with `azd env set`. Secrets come from the vault instead."""
    groups = [*OWN_GROUPS.values(), *(provider.settings for provider in PROVIDERS)]
    declared = [entry for group in groups for entry in fields(group)]
    return [entry.metadata["name"] for entry in declared if entry.repr and entry.metadata["set_by"] == "operator"]
