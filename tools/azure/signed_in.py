"""Whether somebody is signed in to Azure on this machine, as far as their tools leave word of it."""

from __future__ import annotations

import json
from pathlib import Path


def is_somebody_signed_in(profile: str) -> bool:
    """Whether `az login` or `azd auth login` was done here. No token is read."""
    home = Path.home()
    return _has_az_an_account(Path(profile or home / ".azure")) or (home / ".azd" / "auth.json").is_file()


def _has_az_an_account(folder: Path) -> bool:
    try:
        document = json.loads((folder / "azureProfile.json").read_text(encoding="utf-8-sig"))
        return bool(document.get("subscriptions"))
    except (OSError, ValueError, AttributeError):
        return False  # nothing there, or nothing that says who
