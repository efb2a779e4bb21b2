"""Formats the call that an answer suggests as the next step."""

from __future__ import annotations

from typing import Any

from tools.azure.shared.answers import Json, present


def next_call(toolset: str, tool: str, **arguments: Any) -> Json:
    return {"toolset": toolset, "tool": tool, "arguments": present(arguments)}
