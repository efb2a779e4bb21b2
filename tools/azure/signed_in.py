"""Checks whether a user is signed in to Azure on this machine, based on the files of az and azd."""

from __future__ import annotations

import json
import os
from pathlib import Path


def is_somebody_signed_in() -> bool:
    """Check whether `az login` or `azd auth login` was run on this machine. No token is read.

    Environment variables can change where each program stores its files, so this function reads these variables, too.
    """
    return _has_az_an_account(_folder("AZURE_CONFIG_DIR", ".azure")) or _has_azd_one(_folder("AZD_CONFIG_DIR", ".azd"))


def _folder(variable: str, usual: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / usual)


def _has_az_an_account(folder: Path) -> bool:
    try:
        document = json.loads((folder / "azureProfile.json").read_text(encoding="utf-8-sig"))
        return bool(document.get("subscriptions"))
    except (OSError, ValueError, AttributeError):
        return False  # the profile file is missing or contains no account


def _has_azd_one(folder: Path) -> bool:
    return (folder / "auth.json").is_file()
