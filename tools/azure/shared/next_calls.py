"""The next call that an answer proposes, in the form that its reader can make."""

from __future__ import annotations

from typing import Any

from tools.azure.shared.answers import Json, present


def next_call(toolset: str, tool: str, **arguments: Any) -> Json:
    return {"toolset": toolset, "tool": tool, "arguments": present(arguments)}
