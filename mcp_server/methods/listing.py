"""Lists the tools.

Clients often request a list first, so this module must not import modules that are needed only for calls.
"""

from __future__ import annotations

from mcp_server.methods.answers import Answer, Params, freshness, refuse_cursor
from mcp_server.visit import Context


async def list_tools(params: Params, context: Context) -> Answer:
    refuse_cursor(params)
    view = context.visit.view
    return {"tools": view.listed_tools, **freshness(view)}
