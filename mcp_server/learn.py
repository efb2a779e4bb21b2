"""The `azure` tool: one tool through which a model finds, learns and calls every other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any, Final

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import Field
from pydantic_core import to_json

from mcp_server.calls import call
from mcp_server.intent import best_matches
from mcp_server.toolset import Access, Tool, Toolset
from mcp_server.view import view_of
from mcp_server.words import listing, nearest
from refusal import Refusal

LEARN: Final = "azure"
_MATCHES: Final = 5


@cache
def learn_tool(access: Access) -> Tool:
    """The `azure` tool of a view in which `access` is the most that any tool does."""
    return Tool(azure, access, title="Azure")


async def azure(
    context: Context,
    intent: Annotated[str, Field(max_length=2000, description="What you want to do, in a few words")] = "",
    tool: Annotated[str, Field(max_length=200, description="Name of a tool, from learn")] = "",
    command: Annotated[str, Field(max_length=200, description="Name of one of its commands, from learn")] = "",
    parameters: Annotated[
        dict[str, Any] | None, Field(description="Arguments of the command, by its inputSchema")
    ] = None,
    learn: Annotated[bool, Field(description="Only explain; nothing is executed")] = False,
) -> CallToolResult | InputRequiredResult:
    """Do anything else this server can do: find a tool, learn its commands, call one.

    {"intent": "..."} finds what fits; {"learn": true} lists all tools.
    {"learn": true, "tool": T} shows the commands of T and their input schemas; add "command": C for just that one.
    {"tool": T, "command": C, "parameters": {...}} calls C. Learn a command before its first call.
    """
    toolsets = view_of(context.request_context).toolsets
    match learn, bool(tool), bool(command):
        case False, True, True:
            return await call(_command(_toolset(tool, toolsets), command, toolsets), parameters or {}, context)
        case True, True, True:
            return _one_command(_toolset(tool, toolsets), _command(_toolset(tool, toolsets), command, toolsets))
        case True, True, False:
            return _all_commands(_toolset(tool, toolsets))
        case True, False, False:
            return _all_tools(toolsets)
        case False, False, False if intent:
            return _fitting(intent, toolsets)
        case False, True, False:
            named = _toolset(tool, toolsets).name
            raise Refusal(f"The command is missing. Next: {_json({'learn': True, 'tool': named})}")
        case _, False, True:
            raise Refusal(f"The tool of that command is missing.{_owner_of(command, toolsets)}")
    raise Refusal(f"Say what you want. Next: {_json({'learn': True})} or {_json({'intent': 'what you want to do'})}")


def _toolset(name: str, toolsets: Sequence[Toolset]) -> Toolset:
    for toolset in toolsets:
        if toolset.name == name:
            return toolset
    names = [toolset.name for toolset in toolsets]
    owner = _owner_of(name, toolsets)
    hint = owner or f"{nearest(name, names)} The tools are {listing(names)}. Next: {_json({'learn': True})}"
    raise Refusal(f"There is no tool {name!r}.{hint}")


def _command(toolset: Toolset, name: str, toolsets: Sequence[Toolset]) -> Tool:
    for tool in toolset.tools:
        if tool.name == name:
            return tool
    names = [tool.name for tool in toolset.tools]
    next_call = {"learn": True, "tool": toolset.name}
    hint = _owner_of(name, toolsets) or f"{nearest(name, names)} Next: {_json(next_call)}"
    raise Refusal(f"The tool {toolset.name!r} has no command {name!r}.{hint}")


def _owner_of(command: str, toolsets: Iterable[Toolset]) -> str:
    """The next call for a command that belongs to another tool than the one named, if there is one."""
    for toolset in toolsets:
        if any(tool.name == command for tool in toolset.tools):
            next_call = {"learn": True, "tool": toolset.name, "command": command}
            return f" {command!r} is a command of {toolset.name!r}. Next: {_json(next_call)}"
    return ""


def _all_tools(toolsets: Iterable[Toolset]) -> CallToolResult:
    tools = [_toolset_entry(toolset) for toolset in toolsets]
    return _explained({"tools": tools, "next": {"learn": True, "tool": "<name>"}})


def _toolset_entry(toolset: Toolset) -> dict[str, Any]:
    levels = sorted({tool.access for tool in toolset.tools})
    return {
        "name": toolset.name,
        "description": toolset.description,
        "inputSchema": {"type": "object"},
        "access": ", ".join(level.label for level in levels),
        "commands": len(toolset.tools),
    }


def _all_commands(toolset: Toolset) -> CallToolResult:
    commands = [_command_entry(tool) for tool in toolset.tools]
    return _explained({"tool": toolset.name, "commands": commands, "next": _call_of(toolset, "<name>")})


def _one_command(toolset: Toolset, tool: Tool) -> CallToolResult:
    return _explained({"tool": toolset.name, "commands": [_command_entry(tool)], "next": _call_of(toolset, tool.name)})


def _command_entry(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": tool.annotations.model_dump(mode="json", by_alias=True, exclude_none=True),
        "access": tool.access.label,
    }


def _call_of(toolset: Toolset, command: str) -> dict[str, Any]:
    return {"tool": toolset.name, "command": command, "parameters": {}}


def _fitting(intent: str, toolsets: Sequence[Toolset]) -> CallToolResult:
    matches = best_matches(intent, toolsets, _MATCHES)
    if not matches:
        return _explained({"matches": [], "next": {"learn": True}})
    found = [
        {
            "tool": match.toolset.name,
            "command": match.tool.name,
            "description": match.tool.first_sentence,
            "access": match.tool.access.label,
        }
        for match in matches
    ]
    best = matches[0]
    return _explained({"matches": found, "next": {"learn": True, "tool": best.toolset.name, "command": best.tool.name}})


def _explained(document: dict[str, Any]) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=_json(document))], structured_content=document)


def _json(document: dict[str, Any]) -> str:
    return to_json(document).decode()
