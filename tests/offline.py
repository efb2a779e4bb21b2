"""Settings of an app that reaches nothing outside of this machine, and serves invented updates."""

from __future__ import annotations

from pathlib import Path

import composition


def offline(folder: Path) -> dict[str, str]:
    # Nothing listens on the port for discarding.
    return {
        "AZURE_FUNCTIONS_ENVIRONMENT": "Development",
        "UPDATES_API_URL": "http://127.0.0.1:9/updates",
        "UPDATES_SAMPLE": "true",
        "STORAGE_FOLDER": str(folder),
    }


def forget_composition() -> None:
    """Let the next app be built anew, from the settings of then."""
    for built in (
        composition.settings,
        composition.catalog,
        composition.door,
        composition.upstream,
        composition.endpoint,
        composition.store,
        composition.library,
    ):
        built.cache_clear()
