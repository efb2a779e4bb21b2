"""The attributes that telemetry records for a tool call."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

# The clients that telemetry distinguishes. Other names are not recorded, because each distinct value costs storage.
KNOWN_CLIENTS: Final = (
    *("visual-studio-code", "visual-studio", "github-copilot", "claude-code", "claude-ai", "cursor", "windsurf"),
    *("codex", "chatgpt", "gemini-cli", "copilot-studio", "zed", "jetbrains", "goose", "cline"),
    *("inspector", "mcp-inspector", "mcp-remote", "fastmcp", "pydantic-ai", "openai-agents", "langchain"),
)
OTHER_CLIENT: Final = "other"


class ToolCall(NamedTuple):
    """The attributes of a tool call. All values are names that this server defines, never the caller's input."""

    toolset: str
    tool: str
    access: str
    way: str


def known_client(name: str) -> str:
    """The known client with this name, even if the name has a suffix, as in `Visual Studio Code - Insiders`."""
    return _client_family(name[:100])


@lru_cache(maxsize=256)
def _client_family(name: str) -> str:
    start = "-".join(name.lower().split())
    return next((known for known in KNOWN_CLIENTS if start.startswith(known)), OTHER_CLIENT)
