"""The `azure` tool: one tool through which a model finds, learns and calls every other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import Field
from pydantic_core import to_json

from identity.access import Access
from mcp_server.bounds import excess
from mcp_server.calls.call import call
from mcp_server.catalog.wish import Wish
from mcp_server.declarations.function_tool import FunctionTool, intake_of
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.names import command_of, names_of
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import View, why_absent
from mcp_server.visit import Way, view_of
from mcp_server.wording import listing, nearest, nearest_names
from refusal import Refusal

if TYPE_CHECKING:
    from mcp_server.catalog.intent import Match

LEARN: Final = "azure"
_MATCHES: Final = 5
_SMALLEST_GROUP: Final = 4
# Letters, of which a token takes about four.
_ROOM_FOR_ALL: Final = 2600
_SHORTEST_TEXT: Final = 20
# No name is longer, and what a caller made up is repeated no further.
_ECHOED: Final = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class _LearnTool(FunctionTool):
    """Its description ends with what it reaches, which no function can know of itself."""

    reached: Sequence[str] = ()

    @property
    def own_access(self) -> Access:
        return Access.READ

    @property
    def description(self) -> str:
        return f"{super().description}\nTools: {listing(self.reached)}."


def learn_tool(toolsets: Sequence[Toolset]) -> Tool:
    """The `azure` tool of a view that reaches these toolsets; some of them must have tools."""
    most = max(tool.access for toolset in toolsets for tool in toolset.tools)
    # It is announced by the most that can be done through it: a client that asks people before a destructive tool would
    # otherwise let everything pass that goes this way.
    reached = [toolset.name for toolset in toolsets if toolset.tools]
    return _LearnTool(function=azure, name=LEARN, toolset=LEARN, access=most, title="Azure", reached=reached)


async def azure(
    context: Context,
    intent: Annotated[str | None, Field(description="What you want to do")] = None,
    tool: Annotated[str | None, Field(description="Name of a tool")] = None,
    command: Annotated[str | None, Field(description="One of its commands")] = None,
    parameters: Annotated[dict[str, Any] | None, Field(description="Its arguments")] = None,
    select: Annotated[str | None, Field(description="JMESPath: only this of its answer, as items[].name")] = None,
    learn: Annotated[bool | None, Field(description="Only explain")] = None,
) -> CallToolResult | InputRequiredResult:
    """Find, learn and call every other tool of this server.

    {"intent": "..."} finds what fits, with its schema; {"learn": true} lists all.
    {"learn": true, "tool": T} shows T's commands and schemas; with "command": C just that one.
    {"tool": T, "command": C, "parameters": {...}} calls C.
    """
    view = view_of(context.request_context)
    wish = Wish.of(intent=intent, tool=tool, command=command, parameters=parameters, select=select, learn=learn)
    if wish.is_call:
        return await call(_command(wish, view)[1], wish.parameters, context, Way.LEARNED, wish.select)
    explanation = _explanation(wish, view)
    if wish.select:
        raise Refusal("select keeps a part of what a call answers: send it with tool, command and parameters.")
    return _explained(explanation)


def wish_in(arguments: Mapping[str, Any]) -> Wish | None:
    """What a call with these arguments will ask for, in whichever form they come; None if it will be refused."""
    if excess(arguments):
        return None
    given = {name: value for name, value in arguments.items() if value is not None}
    intake = intake_of(azure)
    try:
        return Wish.of(**intake.check(given, intake.schema))
    except InvalidArgumentsError:
        return None


def _explanation(wish: Wish, view: View) -> dict[str, Any]:
    match wish.is_to_explain, bool(wish.tool), bool(wish.command):
        case True, True, True:
            toolset, command = _command(wish, view)
            return _commands(toolset, [command], view)
        case True, True, False:
            if group := _opened_group(wish.tool, view):
                return group
            toolset = _toolset(wish, view)
            return _commands(toolset, toolset.tools, view)
        case True, False, False:
            return _all_tools(view) | (_fitting(wish.intent, view) if wish.intent else {})
        case False, False, False if wish.intent:
            return _fitting(wish.intent, view)
    raise _incomplete(wish, view)


def _incomplete(wish: Wish, view: View) -> Refusal:
    if wish.tool:
        return Refusal(f"The command is missing.{_next(tool=_toolset(wish, view).name)}")
    if owners := _owners_told(wish.command, view.toolsets):
        return Refusal(f"The tool of that command is missing.{owners}")
    if wish.command:
        hint = _nearest_command(wish.command, view.toolsets) or _next()
        return Refusal(f"There is no command {wish.command[:_ECHOED]!r}.{hint}")
    return Refusal(f"Say what you want.{_next()} or {_json({'intent': 'what you want to do'})}")


def _command(wish: Wish, view: View) -> tuple[Toolset, Tool]:
    toolset, name = _toolset(wish, view), wish.command
    if found := command_of(toolset, name):
        return toolset, found
    hint = (
        _owners_told(name, view.toolsets)
        or _nearest_command(name, [toolset])
        or _nearest_command(name, view.toolsets)
        or _next(tool=toolset.name)
    )
    raise Refusal(f"The tool {toolset.name!r} has no command {name[:_ECHOED]!r}.{hint}")


def _toolset(wish: Wish, view: View) -> Toolset:
    """Find the toolset that is named; where there is none of that name, the command tells which one was meant."""
    name = wish.tool
    if found := view.reached_toolset(name):
        return found
    if lacking := why_absent(name, view.absent):
        raise Refusal(f"There is no tool {name[:_ECHOED]!r} here: {lacking}")
    hint = _owners_told(wish.command, view.toolsets) or _owners_told(name, view.toolsets)
    if not hint:
        names = [toolset.name for toolset in view.toolsets if toolset.tools]
        near = nearest_names(name, names)
        tools = f"{nearest(name, names)} The tools are {listing(names)}."
        hint = tools + (_next(tool=near[0]) if near else _next())
    raise Refusal(f"There is no tool {name[:_ECHOED]!r}.{hint}")


def _owners_told(command: str, toolsets: Sequence[Toolset]) -> str:
    """Which tools have this command, and the next call; nothing if none has it."""
    owners = [toolset.name for toolset in toolsets if command and command_of(toolset, command)]
    if not owners:
        return ""
    return f" {command!r} is a command of {_either(owners)}.{_next(tool=owners[0], command=command)}"


def _either(owners: Sequence[str]) -> str:
    return " and of ".join(map(repr, owners))


def _nearest_command(name: str, toolsets: Sequence[Toolset]) -> str:
    """Which commands have a name like this, and the next call; nothing if none has."""
    owners = {known: toolset.name for toolset in toolsets for tool in toolset.tools for known in names_of(tool)}
    near = nearest_names(name, list(owners))
    return f"{nearest(name, list(owners))}{_next(tool=owners[near[0]], command=near[0])}" if near else ""


def _next(**named: str) -> str:
    return f" Next: {_json({'learn': True, **named})}"


def _all_tools(view: View) -> dict[str, Any]:
    toolsets = [toolset for toolset in view.toolsets if toolset.tools]
    groups = _groups(toolsets)
    tools = [_toolset_entry(toolset) for toolset in toolsets if _prefix(toolset) not in groups]
    tools += [_group_entry(name, members) for name, members in groups.items()]
    following = {"learn": True, "tool": tools[0]["name"] if len(tools) == 1 else "<name>"}
    return {"tools": _shortened(tools), **({"unavailable": view.absent} if view.absent else {}), "next": following}


def _groups(toolsets: Sequence[Toolset]) -> Mapping[str, list[Toolset]]:
    """Many toolsets of one beginning are one entry, which is opened by that beginning."""
    members: dict[str, list[Toolset]] = defaultdict(list)
    for toolset in toolsets:
        members[_prefix(toolset)].append(toolset)
    names = {toolset.name for toolset in toolsets}
    return {name: many for name, many in members.items() if len(many) >= _SMALLEST_GROUP and name not in names}


def _prefix(toolset: Toolset) -> str:
    return toolset.name.partition("-")[0]


def _group_entry(name: str, members: Sequence[Toolset]) -> dict[str, Any]:
    inner = ", ".join(toolset.name.removeprefix(f"{name}-") for toolset in members)
    return {"name": name, "description": f"{len(members)} tools: {inner}.", "inputSchema": {"type": "object"}}


def _toolset_entry(toolset: Toolset) -> dict[str, Any]:
    return {"name": toolset.name, "description": toolset.description, "inputSchema": {"type": "object"}}


def _shortened(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries, the longest descriptions of which are cut where all together are too long for a model to read."""
    room = _ROOM_FOR_ALL // max(len(entries), 1)
    spare = sum(max(room - len(_json(entry)), 0) for entry in entries)
    over = sum(max(len(_json(entry)) - room, 0) for entry in entries)
    if over <= spare:
        return entries
    return [entry | {"description": _cut(entry["description"], room - len(_json(entry)))} for entry in entries]


def _cut(text: str, by: int) -> str:
    return text if by >= 0 else shorten(text, max(len(text) + by, _SHORTEST_TEXT), placeholder=" …")


def _opened_group(name: str, view: View) -> dict[str, Any] | None:
    groups = _groups([toolset for toolset in view.toolsets if toolset.tools])
    members = groups.get(name.lower())
    if not members or view.reached_toolset(name):
        return None
    return {"tools": [_toolset_entry(toolset) for toolset in members], "next": {"learn": True, "tool": "<name>"}}


def _commands(toolset: Toolset, commands: Sequence[Tool], view: View) -> dict[str, Any]:
    following = (
        _call_of(toolset, commands[0], view)
        if len(commands) == 1
        else {"tool": toolset.name, "command": "<name>", "parameters": {}}
    )
    return {"tool": toolset.name, "commands": [_command_entry(command) for command in commands], "next": following}


def _command_entry(tool: Tool) -> dict[str, Any]:
    further = [further.name for further in tool.further_names]
    return {
        "name": tool.name,
        **({"furtherNames": further} if further else {}),
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "access": tool.access.label,
    }


def _call_of(toolset: Toolset, command: Tool, view: View) -> dict[str, Any]:
    """The call of a command, to be filled in: of its own if it is listed, else through `azure`."""
    required = {name: f"<{name}>" for name in command.input_schema.get("required", ())}
    if listed := view.listed_name(command):
        return {"call": listed, "arguments": required}
    return {"tool": toolset.name, "command": command.name, "parameters": required}


def _fitting(intent: str, view: View) -> dict[str, Any]:
    from mcp_server.catalog.intent import best_matches

    matches = best_matches(intent, view, _MATCHES)
    if not matches:
        tools = {name: value for name, value in _all_tools(view).items() if name != "next"}
        return {"matches": [], "message": "Nothing here does this. What there is:", **tools}
    return {"matches": [_match_entry(match, matches[0], view) for match in matches]} | _following(matches[0], view)


def _following(best: Match, view: View) -> dict[str, Any]:
    """The call of the best match. What destroys is not proposed to who may have meant something else."""
    if best.tool.access is Access.DESTROY and not best.is_sure:
        return {}
    return {"next": _call_of(best.toolset, best.tool, view)}


def _match_entry(match: Match, best: Match, view: View) -> dict[str, Any]:
    entry = {"tool": match.toolset.name, "command": match.tool.name, "access": match.tool.access.label}
    if view.listed_name(match.tool):
        return entry | {"description": match.tool.first_sentence, "listed": True}
    if match.is_about_as_good_as(best):
        return entry | {"description": match.tool.description, "inputSchema": match.tool.input_schema}
    return entry | {"description": match.tool.first_sentence}


def _explained(document: dict[str, Any]) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=_json(document))], structured_content=document)


def _json(document: dict[str, Any]) -> str:
    return to_json(document).decode()
