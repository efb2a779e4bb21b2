"""Which tool a request asks for, told before anybody is let in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from identity.grants import Grants
from mcp_server.audit import Way
from mcp_server.catalog import Catalog
from mcp_server.exchange import HttpRequest
from mcp_server.learn import LEARN, learn_tool
from mcp_server.toolset import Tool


@dataclass(frozen=True, slots=True)
class AskedTool:
    tool: Tool
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any]
    # None is the way in which the whole request came.
    way: Way | None = None

    def is_open_to(self, grants: Grants) -> bool:
        """`azure` is open to everybody, and reaches what is."""
        return self.tool.name == LEARN or grants.allow(self.tool.toolset, self.tool.access)


def asked_tool(request: HttpRequest, catalog: Catalog) -> AskedTool | None:
    """The tool that is to be called, directly or through `azure`. None if it is none of this server's tools."""
    # JSON can spell the method with escapes.
    if b"tools/call" not in request.body and b"\\u" not in request.body:
        return None
    try:
        message = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    params = _object(message, "params")
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return None
    name, arguments, meta = params.get("name"), _object(params, "arguments"), _object(params, "_meta")
    if name != LEARN:
        tool = catalog.tool(str(name))
        return AskedTool(tool, arguments, meta) if tool else None
    if arguments.get("learn") or not arguments.get("command"):
        return AskedTool(learn_tool(catalog.toolsets), arguments, meta)
    tool = catalog.tool(str(arguments["command"]))
    return AskedTool(tool, _object(arguments, "parameters"), meta, Way.LEARNED) if tool else None


def _object(parent: Any, name: str) -> dict[str, Any]:
    found = parent.get(name) if isinstance(parent, dict) else None
    return found if isinstance(found, dict) else {}
