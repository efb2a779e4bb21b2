"""Types, functions and cache times that several methods share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from mcp_server.declarations.tool import Tool
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INVALID_PARAMS
from mcp_server.protocol.results import CallResult, InputRequired, Json
from mcp_server.view import View
from mcp_server.visit import Context

# The parameters of a request, after validation against the protocol.
Params = Mapping[str, Any]
# A result of a method, in the form of the latest protocol version. Fields that do not exist in older versions are
# removed later.
Answer = CallResult | InputRequired | Json
Method = Callable[[Params, Context], Awaitable[Answer]]

# How long clients may cache a list, in milliseconds. This is also how long clients may use an outdated list after a
# deployment.
LIST_TTL_MS: Final = 5 * 60 * 1000
# Clients must not cache content that may change at any time.
NEVER_KEPT: Final[Json] = {"ttlMs": 0, "cacheScope": "private"}
_NO_PAGES: Final = "There are no further pages: lists are complete. Omit the cursor."


def freshness(view: View) -> Json:
    return {"ttlMs": LIST_TTL_MS, "cacheScope": view.cache_scope}


def freshness_beside_tools(view: View) -> Json:
    return NEVER_KEPT if view.remote_content else freshness(view)


def refuse_cursor(params: Params) -> None:
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, _NO_PAGES)


async def structured_of(tool: Tool, arguments: dict[str, Any], context: Context) -> Json:
    """Call the tool that handles a prompt or resource, and return the structured content of its result."""
    from mcp_server.calls.call import call

    result = await call(tool, arguments, context.unanswered())
    if isinstance(result, CallResult) and not result.is_error and isinstance(result.structured_content, dict):
        return result.structured_content
    if not isinstance(result, CallResult):
        raise ProtocolError(INVALID_PARAMS, "", {"uri": arguments.get("uri")})
    raise ProtocolError(INVALID_PARAMS, "\n".join(result.texts), {"uri": arguments.get("uri")}, result.ending)
