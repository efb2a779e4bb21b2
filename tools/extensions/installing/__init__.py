"""The toolset that finds and installs extensions. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.extensions.installing.access import INSTALLER

# The name of the installation tool, which other modules mention.
INSTALL: Final = "install_extension"


def _parts() -> Sequence[Part]:
    from tools.extensions.installing.tools import part

    return (part,)


toolset: Final = Toolset(
    "extensions-catalog",
    "Find and install other MCP servers.",
    needs=[INSTALLER],
    parts=_parts,
)
