"""The toolset that manages extensions: other MCP servers behind this one. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.extensions.access import EXTENSIONS


def _parts() -> Sequence[Part]:
    from tools.extensions.tools import part

    return (part,)


toolset: Final = Toolset(
    "extensions",
    "Other MCP servers behind this one.",
    needs=[EXTENSIONS],
    parts=_parts,
)
