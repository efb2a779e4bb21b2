"""The toolset that shows callers who they are and what they may do. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset


def _parts() -> Sequence[Part]:
    from tools.me.tools import part

    return (part,)


toolset: Final = Toolset(
    "me",
    "Who you are, and what you may do.",
    parts=_parts,
)
