"""The toolset of watches for Azure updates. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure_updates.access import UPDATES
from tools.watches.access import WATCHES


def _parts() -> Sequence[Part]:
    from tools.watches.tools import part

    return (part,)


toolset: Final = Toolset(
    "watches",
    "Alerts on Azure updates.",
    needs=(UPDATES, WATCHES),
    parts=_parts,
)
