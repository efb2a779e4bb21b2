"""A call of a tool, as far as telemetry tells of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

# What clients call themselves has no bounds, and each name that is counted apart costs storage.
KNOWN_CLIENTS: Final = (
    *("visual-studio-code", "visual-studio", "github-copilot", "claude-code", "claude-ai", "cursor", "windsurf"),
    *("codex", "chatgpt", "gemini-cli", "copilot-studio", "zed", "jetbrains", "goose", "cline"),
    *("inspector", "mcp-inspector", "mcp-remote", "fastmcp", "pydantic-ai", "openai-agents", "langchain"),
)
OTHER_CLIENT: Final = "other"


class ToolCall(NamedTuple):
    """All of these are names that this server gives; never what a caller sent."""

    toolset: str
    tool: str
    access: str
    way: str


def known_client(name: str) -> str:
    """Return the known client that calls itself so, be it with additions, such as `Visual Studio Code - Insiders`."""
    return _known(name[:100])


@lru_cache(maxsize=256)
def _known(name: str) -> str:
    start = "-".join(name.lower().split())
    return next((known for known in KNOWN_CLIENTS if start.startswith(known)), OTHER_CLIENT)
