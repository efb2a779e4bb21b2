"""Formats the next call that an answer proposes, so that the reader of the answer can make the call."""

from __future__ import annotations

from typing import Any

from tools.azure.shared.answers import Json, present


def next_call(toolset: str, tool: str, **arguments: Any) -> Json:
    return {"toolset": toolset, "tool": tool, "arguments": present(arguments)}
