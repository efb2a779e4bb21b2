"""What kind of machine this is, in the words of registries."""

from __future__ import annotations

import platform
from typing import Final

_KINDS: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def machine() -> str:
    """How azd names it."""
    return f"{platform.system().lower()}/{_KINDS.get(platform.machine().lower(), platform.machine().lower())}"
