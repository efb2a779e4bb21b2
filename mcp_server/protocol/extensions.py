"""Names of extensions that the SDK does not have."""

from __future__ import annotations

from typing import Final

# By which hosts show the page of a resource beside the answer of a tool.
APPS: Final = "io.modelcontextprotocol/ui"
