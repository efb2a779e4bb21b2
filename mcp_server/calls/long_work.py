"""Which clients know long work as tasks of the protocol: those that declare its extension in the request."""

from __future__ import annotations

from typing import Final

from mcp_server.context import AnyContext
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import MISSING_CAPABILITY

EXTENSION: Final = "io.modelcontextprotocol/tasks"
GET: Final = "tasks/get"
UPDATE: Final = "tasks/update"
CANCEL: Final = "tasks/cancel"
# In what is kept of a call that follows an approval: the id of the request.
AWAITS: Final = "awaits"
TASK_METHODS: Final = frozenset({GET, UPDATE, CANCEL})


def declares(context: AnyContext) -> bool:
    """Whether the client says in this very request that it knows tasks. Older versions have no room for that."""
    return context.client.has_extension(EXTENSION)


def undeclared(what: str) -> ProtocolError:
    words = f"{what} is for clients that declare the extension {EXTENSION}."
    return ProtocolError(MISSING_CAPABILITY, words, {"requiredCapabilities": {"extensions": {EXTENSION: {}}}})
