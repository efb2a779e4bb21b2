"""Detects clients that support MCP tasks.

In each request, these clients declare that they support the extension for tasks.
"""

from __future__ import annotations

from typing import Final

from mcp_server.context import AnyContext
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import MISSING_CAPABILITY

EXTENSION: Final = "io.modelcontextprotocol/tasks"
GET: Final = "tasks/get"
UPDATE: Final = "tasks/update"
CANCEL: Final = "tasks/cancel"
# In a stored call, this key contains the ID of the change request for which the call waits.
AWAITS: Final = "awaits"
TASK_METHODS: Final = frozenset({GET, UPDATE, CANCEL})


def declares(context: AnyContext) -> bool:
    """Whether the request declares support for tasks. Clients with older protocol versions cannot declare this
    support.
    """
    return context.client.has_extension(EXTENSION)


def undeclared(what: str) -> ProtocolError:
    words = f"{what} requires a client that declares the extension {EXTENSION}."
    return ProtocolError(MISSING_CAPABILITY, words, {"requiredCapabilities": {"extensions": {EXTENSION: {}}}})
