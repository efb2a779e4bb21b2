"""Resources of shelves over MCP: each request for one is a call of the tool that would do it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import mcp_types
from mcp.server import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from mcp_server.calls.call import call
from mcp_server.declarations.shelf import LIST, PIECE, READ
from mcp_server.declarations.tool import Tool
from mcp_server.visit import view_of

RequestContext = ServerRequestContext[Any, Any]
_PIECE_NAMES: Final = ("start", "length")


async def listed(ctx: RequestContext, cursor: str | None) -> tuple[list[mcp_types.Resource], str | None]:
    """The resources of the shelf that are on this page, and where the next one begins; none where there is no shelf."""
    tool = view_of(ctx).shelf_tool(LIST)
    if tool is None:
        return [], None
    found = await given(tool, {"cursor": cursor} if cursor else {}, ctx)
    return [_resource(entry) for entry in found["resources"]], found.get("next")


async def read(
    ctx: RequestContext, uri: str, meta: Mapping[str, Any] | None
) -> mcp_types.TextResourceContents | mcp_types.BlobResourceContents | None:
    """What is at an address of the shelf; nothing if it is none of it."""
    tool = view_of(ctx).shelf_tool(READ, uri)
    if tool is None:
        return None
    piece = (meta or {}).get(PIECE)
    chosen = {name: piece[name] for name in _PIECE_NAMES if name in piece} if isinstance(piece, Mapping) else {}
    found = await given(tool, {"uri": uri, **chosen}, ctx)
    about = {name: found[name] for name in ("etag", "size", "modified", "start") if name in found}
    if "blob" in found:
        return mcp_types.BlobResourceContents(uri=uri, blob=found["blob"], mime_type=found["mimeType"], _meta=about)
    return mcp_types.TextResourceContents(uri=uri, text=found["text"], mime_type=found["mimeType"], _meta=about)


def _resource(entry: Mapping[str, Any]) -> mcp_types.Resource:
    about = {name: entry[name] for name in ("etag", "modified")}
    return mcp_types.Resource(
        uri=entry["uri"], name=entry["name"], mime_type=entry["mimeType"], size=entry["size"], _meta=about
    )


async def given(tool: Tool, arguments: dict[str, Any], ctx: RequestContext) -> dict[str, Any]:
    """What a tool tells that a request becomes a call of.

    Raises:
        MCPError: It is refused.
    """
    result = await call(tool, arguments, Context(request_context=ctx))
    if not isinstance(result, CallToolResult) or result.is_error or not isinstance(result.structured_content, dict):
        parts = result.content if isinstance(result, CallToolResult) else []
        words = "\n".join(part.text for part in parts if isinstance(part, TextContent))
        raise MCPError(INVALID_PARAMS, words, {"uri": arguments.get("uri")})
    return result.structured_content
