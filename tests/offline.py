"""Settings of an app that reaches nothing outside of this machine, and serves invented updates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from app.build import App, build
from settings import Settings
from tools import PROVIDERS


def offline(folder: Path) -> dict[str, str]:
    # Nothing listens on the port for discarding.
    return {
        "AZURE_FUNCTIONS_ENVIRONMENT": "Development",
        "UPDATES_API_URL": "http://127.0.0.1:9/updates",
        "UPDATES_SAMPLE": "true",
        "STORAGE_FOLDER": str(folder),
    }


def app_of(environment: Mapping[str, str]) -> App:
    """The app that a process with this environment would serve."""
    return build(Settings.from_environment(environment, [provider.settings for provider in PROVIDERS]))
