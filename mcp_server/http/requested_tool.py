"""Which tool a request asks for, told before anybody is let in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from identity.grants import Grants
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.learn import LEARN, learn_tool
from mcp_server.visit import RequestedTool, Way

_TRUTH: TypeAdapter[bool | None] = TypeAdapter(bool | None)


def requested_tool(body: bytes, catalog: Catalog) -> RequestedTool | None:
    """The tool that is to be called, directly or through `azure`. None if it is none of this server's tools."""
    # JSON can spell the method with escapes.
    if b"tools/call" not in body and b"\\" not in body:
        return None
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return None
    params = _object(message, "params")
    name, arguments, meta = params.get("name"), _object(params, "arguments"), _object(params, "_meta")
    if name != LEARN:
        tool = catalog.tool(str(name))
        return RequestedTool(tool, arguments, meta) if tool else None
    if _only_explains(arguments):
        return RequestedTool(learn_tool(catalog.toolsets), arguments, meta) if catalog.has_tools else None
    tool = catalog.tool(str(arguments["command"]))
    return RequestedTool(tool, _object(arguments, "parameters"), meta, Way.LEARNED) if tool else None


def is_open(requested: RequestedTool, grants: Grants) -> bool:
    """Whether the tool is granted. `azure` is open to everybody, and reaches what is."""
    return requested.tool.name == LEARN or grants.allow(requested.tool.toolset, requested.tool.access)


def _only_explains(arguments: Mapping[str, Any]) -> bool:
    try:
        return bool(_TRUTH.validate_python(arguments.get("learn"))) or not arguments.get("command")
    except ValidationError:
        return True  # and will be refused for that


def _object(parent: Any, name: str) -> dict[str, Any]:
    found = parent.get(name) if isinstance(parent, dict) else None
    return found if isinstance(found, dict) else {}
