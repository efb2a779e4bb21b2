"""The names of protocol extensions that the SDK does not define."""

from __future__ import annotations

from typing import Final

# With this extension, clients can show a page from this server next to a tool's answer.
APPS: Final = "io.modelcontextprotocol/ui"
