"""Calls a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.calls.call import call
from mcp_server.calls.until_answered import until_answered
from mcp_server.catalog.right_call import LEARN, repeated
from mcp_server.declarations.names import Names
from mcp_server.declarations.tool import Tool
from mcp_server.long_work.telling import begun, begun_document
from mcp_server.methods.answers import Answer, Params
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INVALID_PARAMS
from mcp_server.view import View, why_tool_absent
from mcp_server.visit import Context
from mcp_server.wording import listing, nearest
from tasks.task import Task


@until_answered
async def call_tool(params: Params, context: Context) -> Answer:
    view, name, arguments = context.visit.view, params["name"], params.get("arguments") or {}
    tools = view.called(name)
    if len(tools) != 1:
        raise ProtocolError(INVALID_PARAMS, _no_such_tool(name, arguments, tools, view))
    result = await call(tools[0], arguments, context)
    told = begun(result, context) if isinstance(result, Task) else result
    # The call returned a task, so the client supports tasks: return the task in the form of the protocol.
    return begun_document(told, context.visit.tasks) if isinstance(told, Task) else told


def _no_such_tool(name: str, arguments: Mapping[str, Any], meant: Sequence[Tool], view: View) -> str:
    if meant:
        names = " or ".join(tool.qualified_name for tool in meant)
        return f"Several toolsets have a tool {name!r}. Call {names}."
    unknown = f"Unknown tool: {name[:100]!r}."
    if reached := _call_of_reached(name, arguments, view):
        return f"{unknown} This tool cannot be called by its own name.{reached}"
    if lacking := why_tool_absent(name, view.absent):
        return f"{unknown} {lacking}"
    hint = f' Other tools are called through {LEARN!r}: send it {{"learn": true}}.' if LEARN in view.tools else ""
    return f"{unknown}{nearest(name, list(view.tools))} The tools are {listing(view.tools)}.{hint}"


def _call_of_reached(name: str, arguments: Mapping[str, Any], view: View) -> str:
    """How to call the tool `name` through a gateway tool. Empty unless exactly one tool has this name."""
    reached = Names(tool for toolset in view.toolsets for tool in toolset.tools).named(name)
    return repeated(reached[0], arguments, view) if len(reached) == 1 else ""
