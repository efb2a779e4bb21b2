"""What tools cost a model that has them before it, as about four bytes for each token."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcp_server.declarations.toolset import Tool


def tokens(tools: Sequence[Tool]) -> float:
    documents = [tool.published for tool in tools]
    return len(json.dumps({"tools": documents}, separators=(",", ":")).encode()) / 4
