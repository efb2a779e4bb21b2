"""Detects clients that support long-running work as protocol tasks: they declare the extension in each request."""

from __future__ import annotations

from typing import Final

from mcp_server.context import AnyContext
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import MISSING_CAPABILITY

EXTENSION: Final = "io.modelcontextprotocol/tasks"
GET: Final = "tasks/get"
UPDATE: Final = "tasks/update"
CANCEL: Final = "tasks/cancel"
# Key of the approval request's ID in the stored call that waits for it.
AWAITS: Final = "awaits"
TASK_METHODS: Final = frozenset({GET, UPDATE, CANCEL})


def declares(context: AnyContext) -> bool:
    """Whether this request declares support for tasks. Older protocol versions cannot declare it."""
    return context.client.has_extension(EXTENSION)


def undeclared(what: str) -> ProtocolError:
    words = f"{what} is for clients that declare the extension {EXTENSION}."
    return ProtocolError(MISSING_CAPABILITY, words, {"requiredCapabilities": {"extensions": {EXTENSION: {}}}})
