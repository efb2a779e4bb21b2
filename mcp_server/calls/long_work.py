"""Which clients know long work as tasks of the protocol: those that declare its extension in the request."""

from __future__ import annotations

from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

EXTENSION: Final = "io.modelcontextprotocol/tasks"
GET: Final = "tasks/get"
UPDATE: Final = "tasks/update"
CANCEL: Final = "tasks/cancel"
TASK_METHODS: Final = frozenset({GET, UPDATE, CANCEL})


def declares(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client says in this very request that it knows tasks. Older versions have no room for that."""
    capabilities = ctx.session.client_capabilities
    is_modern = ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS
    return is_modern and capabilities is not None and EXTENSION in (capabilities.extensions or {})


def undeclared(what: str) -> MCPError:
    words = f"{what} is for clients that declare the extension {EXTENSION}."
    return MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY, words, {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
    )
