"""Reads the settings in an app folder: host.json and local.settings.json."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local_host.cannot_start import CannotStartError

logger = logging.getLogger("local_host")


@dataclass(frozen=True, slots=True)
class AppFolder:
    """A folder with a Functions app."""

    path: Path

    @property
    def script(self) -> Path:
        return self.path / os.environ.get("PYTHON_SCRIPT_FILE_NAME", "function_app.py")

    @property
    def route_prefix(self) -> str:
        """The prefix of all routes. The default is `api`."""
        return str(self._extension("http").get("routePrefix", "api")).strip("/")

    @property
    def queues(self) -> Mapping[str, Any]:
        """The queue settings in host.json."""
        return self._extension("queues")

    def _extension(self, name: str) -> Mapping[str, Any]:
        if not (self.path / "host.json").is_file():
            raise CannotStartError(f"No host.json in {self.path}. Pass the folder of a Functions app.")
        section: Mapping[str, Any] = _read(self.path / "host.json").get("extensions", {}).get(name, {})
        return section

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings in local.settings.json."""
        values = self._local_settings.get("Values", {})
        if not isinstance(values, dict):
            raise CannotStartError('The "Values" of local.settings.json must be an object of names and values.')
        return {name: str(value) for name, value in values.items() if value is not None}

    @property
    def _local_settings(self) -> Mapping[str, Any]:
        file = self.path / "local.settings.json"
        content = _read(file) if file.is_file() else {}
        if content.get("IsEncrypted"):
            raise CannotStartError("local.settings.json is encrypted: run `func settings decrypt` first.")
        return content

    @property
    def keys(self) -> Sequence[str]:
        """The keys for functions that require a key. `LOCAL_HOST_KEYS` contains these keys, separated by commas."""
        return [key for key in os.environ.get("LOCAL_HOST_KEYS", "").split(",") if key]

    def apply_settings(self) -> None:
        """Add the settings to the environment. As in Core Tools, existing variables keep their values. An additional
        variable marks the environment as a developer's machine.
        """
        os.environ.setdefault("AZURE_FUNCTIONS_ENVIRONMENT", "Development")
        if (content := self._local_settings) and "Values" not in content:
            logger.warning('local.settings.json has no "Values", so this file has no effect. Add the settings there')
        for name, value in self.settings.items():
            os.environ.setdefault(name, value)


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise CannotStartError(f"{file} is not JSON: {error}.") from None
    if not isinstance(content, dict):
        raise CannotStartError(f"{file} is not a JSON object.")
    return content
