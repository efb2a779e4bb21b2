"""The names of protocol extensions that the SDK does not define."""

from __future__ import annotations

from typing import Final

# With this extension, clients show a page of this server next to the answer of a tool.
APPS: Final = "io.modelcontextprotocol/ui"
