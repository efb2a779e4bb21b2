"""The attributes of a tool call in telemetry."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

# Client names are unbounded, and each distinct value costs storage.
KNOWN_CLIENTS: Final = (
    *("visual-studio-code", "visual-studio", "github-copilot", "claude-code", "claude-ai", "cursor", "windsurf"),
    *("codex", "chatgpt", "gemini-cli", "copilot-studio", "zed", "jetbrains", "goose", "cline"),
    *("inspector", "mcp-inspector", "mcp-remote", "fastmcp", "pydantic-ai", "openai-agents", "langchain"),
)
OTHER_CLIENT: Final = "other"


class ToolCall(NamedTuple):
    """All values are names defined by this server, never the caller's input."""

    toolset: str
    tool: str
    access: str
    way: str


def known_client(name: str) -> str:
    """Return the known client with this name, also with a suffix, for example `Visual Studio Code - Insiders`."""
    return _known(name[:100])


@lru_cache(maxsize=256)
def _known(name: str) -> str:
    start = "-".join(name.lower().split())
    return next((known for known in KNOWN_CLIENTS if start.startswith(known)), OTHER_CLIENT)
