"""The kind of this machine, in the terms of package registries."""

from __future__ import annotations

import platform
from typing import Final

_KINDS: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def machine() -> str:
    """Return the kind of this machine in the terms of azd."""
    return f"{platform.system().lower()}/{_KINDS.get(platform.machine().lower(), platform.machine().lower())}"
