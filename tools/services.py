"""What tools act on, and how a tool asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve

from updates.library import Library


@dataclass(frozen=True, slots=True)
class Services:
    """Everything beyond its arguments that a tool may use."""

    updates: Library


async def updates_of(context: Context[Services, Any]) -> Library:
    # A function that is not asynchronous would be run in a thread, which costs more than all that it does.
    return context.request_context.lifespan_context.updates


Updates = Annotated[Library, Resolve(updates_of)]
