"""Names of extensions that the SDK does not define."""

from __future__ import annotations

from typing import Final

# Lets hosts show the page of a resource next to the answer of a tool.
APPS: Final = "io.modelcontextprotocol/ui"
