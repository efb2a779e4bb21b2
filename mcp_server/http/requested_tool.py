"""Determines, before sign-in, which tool a request calls."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from identity.grants import Grants
from mcp_server.calls.long_work import TASK_METHODS
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.gateway import gateway_request_in, gateway_tool
from mcp_server.catalog.right_call import WAYS
from mcp_server.http.messages import HttpRequest
from mcp_server.protocol.names import METHODS, NOTIFICATIONS
from mcp_server.visit import RequestedTool, Way

# The maximum size of a body that is parsed before its sender has signed in.
LARGEST_READ_OF_STRANGERS: Final = 64 * 1024
# Represents a body that is too large to parse before sign-in.
UNREAD: Final = RequestedTool((), {}, {})
_METHODS: Final = METHODS | NOTIFICATIONS | TASK_METHODS


def requested_tool(request: HttpRequest, catalog: Catalog) -> RequestedTool | None:
    """The tool that a request calls, either directly or through a gateway tool. None if the request calls no tool."""
    # Also look for backslashes, because the method may be written with escaped characters.
    if b"tools/call" not in request.body and b"\\" not in request.body:
        return None
    message = request.message or _leniently(request.body)
    if message is None or message.get("method") != "tools/call":
        return None
    params = _object(message, "params")
    name, arguments, meta = str(params.get("name")), _object(params, "arguments"), _object(params, "_meta")
    if name in WAYS:
        return _through_gateway(name, arguments, meta, catalog)
    return RequestedTool(tuple(catalog.named(name)), arguments, meta)


def _through_gateway(name: str, arguments: dict[str, Any], meta: dict[str, Any], catalog: Catalog) -> RequestedTool:
    request = gateway_request_in(name, arguments)
    if request and request.is_call and (command := catalog.command(request.tool, request.command)):
        return RequestedTool((command,), request.parameters, meta, Way.LEARNED)
    return RequestedTool((gateway_tool(name),) if catalog.has_tools else (), arguments, meta)


def _leniently(body: bytes) -> dict[str, Any] | None:
    """Parse a message, even if other JSON parsers could read it differently.

    None if the message is not a JSON object.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def method_of(body: bytes) -> str:
    """The MCP method that a request calls, for the audit log.

    Methods that this server does not have are logged as `unknown`.
    """
    if len(body) > LARGEST_READ_OF_STRANGERS:
        return "too large to read"
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return "unreadable"
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) and method in _METHODS else "unknown"


def granted_of(requested: RequestedTool, grants: Grants) -> RequestedTool | None:
    """The request, reduced to the tools that the caller can call.

    None if the caller can call none of these tools. Everyone can call the gateway tools.
    """
    opened = [
        tool
        for tool in requested.tools
        if tool.name in WAYS or grants.allow(tool.toolset, tool.original.name, tool.access)
    ]
    if len(opened) == len(requested.tools):
        return requested
    return replace(requested, tools=tuple(opened)) if opened else None


def _object(parent: Any, name: str) -> dict[str, Any]:
    found = parent.get(name) if isinstance(parent, dict) else None
    return found if isinstance(found, dict) else {}
