"""Which tool a request asks for, told before anybody is let in."""

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

# Of somebody who has not signed in yet.
LARGEST_READ_OF_STRANGERS: Final = 64 * 1024
# What a stranger asks for in a body that is not read.
UNREAD: Final = RequestedTool((), {}, {})
_METHODS: Final = METHODS | NOTIFICATIONS | TASK_METHODS


def requested_tool(request: HttpRequest, catalog: Catalog) -> RequestedTool | None:
    """The tool that is to be called, directly or through one of the two that reach others, if one is."""
    # JSON can spell the method with escapes.
    if b"tools/call" not in request.body and b"\\" not in request.body:
        return None
    message = request.message or _leniently(request.body)
    if message is None or message.get("method") != "tools/call":
        return None
    params = _object(message, "params")
    name, arguments, meta = str(params.get("name")), _object(params, "arguments"), _object(params, "_meta")
    if name not in WAYS:
        return RequestedTool(tuple(catalog.named(name)), arguments, meta)
    gateway_request = gateway_request_in(name, arguments)
    if (
        gateway_request
        and gateway_request.is_call
        and (command := catalog.command(gateway_request.tool, gateway_request.command))
    ):
        return RequestedTool((command,), gateway_request.parameters, meta, Way.LEARNED)
    return RequestedTool((gateway_tool(name),) if catalog.has_tools else (), arguments, meta)


def _leniently(body: bytes) -> dict[str, Any] | None:
    """The message in a body that parsers read differently, or not at all."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def method_of(body: bytes) -> str:
    """What a request tries, as far as this server knows of such a thing."""
    if len(body) > LARGEST_READ_OF_STRANGERS:
        return "too large to read"
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return "unreadable"
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) and method in _METHODS else "unknown"


def granted_of(requested: RequestedTool, grants: Grants) -> RequestedTool | None:
    """What is granted of the tools that may be meant, if any is. The two that reach others are open to everybody."""
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
