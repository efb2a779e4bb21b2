"""Creates the toolsets of this server from outlines. Therefore, tools can be listed and found before their modules are
imported.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any, Final

from mcp_server.declarations.outlined import outlined
from tools import TOOLSETS

FOLDER: Final = Path(__file__).with_name("outlines")


def _outline(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


OUTLINED: Final = tuple(outlined(toolset, partial(_outline, toolset.name)) for toolset in TOOLSETS)
