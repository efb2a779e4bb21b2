"""The kind of machine, as registries name it."""

from __future__ import annotations

import platform
from typing import Final

_KINDS: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def machine() -> str:
    """Its azd name."""
    return f"{platform.system().lower()}/{_KINDS.get(platform.machine().lower(), platform.machine().lower())}"
