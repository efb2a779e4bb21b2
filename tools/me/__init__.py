"""What a caller may do here: its toolset. What is in it is imported when it is first looked into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset


def _parts() -> Sequence[Part]:
    from tools.me.tools import part

    return (part,)


toolset: Final = Toolset(
    "me",
    "Who you are here, and what you may do.",
    parts=_parts,
)
