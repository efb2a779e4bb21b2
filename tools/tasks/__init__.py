"""The toolset of long-running tasks. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset


def _parts() -> Sequence[Part]:
    from tools.tasks.tools import part

    return (part,)


toolset: Final = Toolset(
    "tasks",
    "Follow or cancel your long tasks.",
    parts=_parts,
)
