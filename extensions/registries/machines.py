"""The operating system and processor of this machine, as package registries name them."""

from __future__ import annotations

import platform
from typing import Final

_KINDS: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def machine() -> str:
    """Return the operating system and processor of this machine as azd names them."""
    return f"{platform.system().lower()}/{_KINDS.get(platform.machine().lower(), platform.machine().lower())}"
