"""What methods have in common: what they are given, what they give, and how long that may be kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from mcp_server.declarations.tool import Tool
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INVALID_PARAMS
from mcp_server.protocol.results import CallResult, InputRequired, Json
from mcp_server.view import View
from mcp_server.visit import Context

# The parameters of a request, of which it is known that they have the form that the protocol gives them.
Params = Mapping[str, Any]
# A document is in the form of the latest version; what older ones do not have is left out when it is written.
Answer = CallResult | InputRequired | Json
Method = Callable[[Params, Context], Awaitable[Answer]]

# How long a client may keep a list: the time after which a deployment's new tools are noticed.
LIST_TTL_MS: Final = 5 * 60 * 1000
# What comes and goes is asked for each time.
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
    """What a tool tells that a request becomes a call of.

    Raises:
        ProtocolError: It is refused.
    """
    from mcp_server.calls.call import call

    result = await call(tool, arguments, context.unanswered())
    if isinstance(result, CallResult) and not result.is_error and isinstance(result.structured_content, dict):
        return result.structured_content
    if not isinstance(result, CallResult):
        raise ProtocolError(INVALID_PARAMS, "", {"uri": arguments.get("uri")})
    raise ProtocolError(INVALID_PARAMS, "\n".join(result.texts), {"uri": arguments.get("uri")}, result.ending)
