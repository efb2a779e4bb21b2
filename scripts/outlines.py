"""Generates the outlines of tools from code, so that tools can be listed and found without importing their modules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp_server.catalog.gateway import OUTLINES
from mcp_server.catalog.gateway_tools import DECLARED
from mcp_server.declarations.outlined import outline_of, tool_outline
from tools import SURFACE, TOOLSETS
from tools.outlined import FOLDER as OF_TOOLSETS

_ROOT = Path(__file__).parent.parent
# All files in this folder are generated, so files of removed toolsets can be detected.
FOLDER = OF_TOOLSETS.relative_to(_ROOT).as_posix()


def files() -> dict[str, str]:
    """Return the content of each outline file, by path."""
    gateway = {name: tool_outline(tool, with_schema=True) for name, tool in DECLARED.items()}
    of_toolsets = {OF_TOOLSETS / f"{toolset.name}.json": outline_of(toolset, SURFACE) for toolset in TOOLSETS}
    return {
        path.relative_to(_ROOT).as_posix(): _text(outline)
        for path, outline in {OUTLINES: gateway, **of_toolsets}.items()
    }


def _text(outline: Any) -> str:
    return json.dumps(outline, indent=1, ensure_ascii=False) + "\n"
