"""Builds the answers with which `azure` helps a model find and understand tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from identity.access import Access
from mcp_server.catalog.finding import Finder
from mcp_server.catalog.gateway_request import GatewayRequest
from mcp_server.catalog.guessing import called_so, fallbacks
from mcp_server.catalog.right_call import CHANGE, LEARN, blanks, json_of, right_call, way_to
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import View
from mcp_server.wording import listing

if TYPE_CHECKING:
    from mcp_server.catalog.intent import Found, Match

_MATCHES: Final = 5
_SMALLEST_GROUP: Final = 4
# The maximum numbers of characters in an answer. A token has about four characters.
_ROOM_FOR_ALL, _ROOM_FOR_SCHEMAS = 2800, 4000
_SHORTEST_TEXT: Final = 20
# Every caller gets a list of toolsets, so the number of names in the list is limited. Toolsets without a group and the
# members of a group have separate limits.
_NAMED, _NAMED_OF_A_GROUP = 8, 4


def explanation(request: GatewayRequest, view: View) -> dict[str, Any]:
    finder = Finder(view, LEARN)
    match request.is_to_explain, bool(request.tool), bool(request.command):
        case True, True, True:
            toolset, command = finder.command(request)
            return _commands(toolset, [command], view)
        case True, True, False:
            if group := _opened_group(request.tool, view):
                return group
            toolset = finder.toolset(request)
            return _commands(toolset, toolset.tools, view)
        case True, False, False:
            return _all_tools(view) | (_fitting(request.intent, view) if request.intent else {})
        case False, False, False if request.intent:
            return _fitting(request.intent, view)
        case False, True, False if request.intent:
            return _fitting_within(finder.toolset(request), request.intent, view)
    raise finder.incomplete(request)


def named_together(toolsets: Sequence[Toolset]) -> str:
    """The names of all toolsets that have tools.

    Toolsets with a common prefix are combined with braces, as in a shell.
    """
    there = [toolset for toolset in toolsets if toolset.tools]
    groups = _groups(there)
    alone = [toolset.name for toolset in there if _prefix(toolset) not in groups]
    together = [f"{name}-{{{listing(_inner(name, members), _NAMED_OF_A_GROUP)}}}" for name, members in groups.items()]
    return ", ".join(filter(None, (listing(alone, _NAMED), *together)))


def _all_tools(view: View) -> dict[str, Any]:
    toolsets = [toolset for toolset in view.toolsets if toolset.tools]
    groups = _groups(toolsets)
    tools = [_toolset_entry(toolset) for toolset in toolsets if _prefix(toolset) not in groups]
    tools += [_group_entry(name, members) for name, members in groups.items()]
    following = {"learn": True, "tool": tools[0]["name"] if len(tools) == 1 else "<name>"}
    return {"tools": _shortened(tools), **({"unavailable": view.absent} if view.absent else {}), "next": following}


def _groups(toolsets: Sequence[Toolset]) -> Mapping[str, list[Toolset]]:
    """Group toolsets with a common prefix, if there are many.

    Callers can use the prefix to get the toolsets in a group.
    """
    members: dict[str, list[Toolset]] = defaultdict(list)
    for toolset in toolsets:
        members[_prefix(toolset)].append(toolset)
    names = {toolset.name for toolset in toolsets}
    return {name: many for name, many in members.items() if len(many) >= _SMALLEST_GROUP and name not in names}


def _prefix(toolset: Toolset) -> str:
    return toolset.name.partition("-")[0]


def _group_entry(name: str, members: Sequence[Toolset]) -> dict[str, Any]:
    told = f"{len(members)} tools: {', '.join(_inner(name, members))}."
    return {"name": name, "description": told}


def _inner(name: str, members: Sequence[Toolset]) -> list[str]:
    return [toolset.name.removeprefix(f"{name}-") for toolset in members]


def _toolset_entry(toolset: Toolset) -> dict[str, Any]:
    return {"name": toolset.name, "description": toolset.description}


def _shortened(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Shorten the longest descriptions if all entries together would be too long for a model."""
    room = _ROOM_FOR_ALL // max(len(entries), 1)
    spare = sum(max(room - len(json_of(entry)), 0) for entry in entries)
    over = sum(max(len(json_of(entry)) - room, 0) for entry in entries)
    if over <= spare:
        return entries
    return [entry | {"description": _cut(entry["description"], room - len(json_of(entry)))} for entry in entries]


def _cut(text: str, by: int) -> str:
    return text if by >= 0 else shorten(text, max(len(text) + by, _SHORTEST_TEXT), placeholder=" …")


def _opened_group(name: str, view: View) -> dict[str, Any] | None:
    groups = _groups([toolset for toolset in view.toolsets if toolset.tools])
    members = groups.get(name.lower())
    if not members or view.reached_toolset(name):
        return None
    return {"tools": [_toolset_entry(toolset) for toolset in members], "next": {"learn": True, "tool": "<name>"}}


def _commands(toolset: Toolset, commands: Sequence[Tool], view: View) -> dict[str, Any]:
    """The commands of a toolset with their schemas.

    If the schemas are too long, returns only descriptions and parameter names.
    """
    entries = [_command_entry(command) for command in commands]
    told = {"tool": toolset.name, "commands": entries} | _calling(toolset, commands, view)
    if len(commands) == 1 or len(json_of(told)) <= _ROOM_FOR_SCHEMAS:
        return told
    following = {"learn": True, "tool": toolset.name, "command": "<name>"}
    return {"tool": toolset.name, "commands": list(map(_brief_entry, commands)), "next": following}


def _brief_entry(tool: Tool) -> dict[str, Any]:
    changes = {} if tool.access is Access.READ else {"access": tool.access.label}
    return {"name": tool.name, "description": tool.first_sentence, "parameters": _parameters_of(tool), **changes}


def _parameters_of(tool: Tool) -> str:
    """The names of a tool's parameters. A question mark follows the name of each optional parameter."""
    schema = tool.input_schema
    required = schema.get("required", ())
    return ", ".join(name if name in required else f"{name}?" for name in schema.get("properties", ()))


def _calling(toolset: Toolset, commands: Sequence[Tool], view: View) -> dict[str, Any]:
    """How to call the commands.

    For several commands, returns one template for the commands that only read, and one for the commands that change
    something.
    """
    if len(commands) == 1:
        return {"next": _call_of(commands[0], view)}
    named = {"tool": toolset.name, "command": "<name>", "parameters": {}}
    calls = {LEARN: named, CHANGE: {"call": CHANGE, "arguments": named}, "": {"call": "<name>", "arguments": {}}}
    ways = {way_to(command, view) for command in commands}
    following = [call for way, call in calls.items() if way in ways]
    return dict(zip(("next", "nextToChange"), following, strict=False))


def _command_entry(tool: Tool) -> dict[str, Any]:
    further = [further.name for further in tool.further_names]
    return {
        "name": tool.name,
        **({"furtherNames": further} if further else {}),
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "access": tool.access.label,
    }


def _call_of(command: Tool, view: View) -> dict[str, Any]:
    """A template for calling a command: directly if the command is listed, otherwise through a gateway tool."""
    call = right_call(command, blanks(command), view)
    return call["arguments"] if call.get("call") == LEARN else call


def _fitting(intent: str, view: View) -> dict[str, Any]:
    """The tools that match what the caller wants to do.

    Names are compared first. If no name matches, meanings are compared.
    """
    from mcp_server.catalog.intent import found_in

    called = called_so(intent, view.toolsets)
    return _called_told(called, view) if called else _found_told(found_in(view, intent, _MATCHES), intent, view)


def _fitting_within(toolset: Toolset, intent: str, view: View) -> dict[str, Any]:
    from mcp_server.catalog.intent import found_within

    called = called_so(intent, [toolset])
    return (
        _called_told(called, view)
        if called
        else _found_told(found_within([toolset], view, intent, _MATCHES), intent, view)
    )


def _called_told(called: Sequence[Tool], view: View) -> dict[str, Any]:
    entries = [_match_entry(tool, view, is_explained=len(called) == 1) for tool in called[:_MATCHES]]
    return {"matches": entries} | ({"next": _call_of(called[0], view)} if len(called) == 1 else {})


def _found_told(found: Found, intent: str, view: View) -> dict[str, Any]:
    if not found.matches:
        return _closest_told(found, intent, view)
    best = found.matches[0]
    entries = [_found_entry(match, view, is_explained=match is best and best.is_sure) for match in found.matches]
    return {"matches": entries} | _following(found, view)


def _found_entry(match: Match, view: View, *, is_explained: bool) -> dict[str, Any]:
    part = {"for": match.part} if match.part else {}
    return part | _match_entry(match.tool, view, is_explained=is_explained)


def _closest_told(found: Found, intent: str, view: View) -> dict[str, Any]:
    """Explain that no tool matches.

    The answer names the closest tools, tools that can read the mentioned kind of resource, and missing configuration.
    """
    tools = [match.tool for match in found.closest]
    tools += [tool for tool in fallbacks(intent, view) if tool not in tools]
    lacking = {"lacking": found.lacking} if found.lacking else {}
    if not tools:
        return {
            "matches": [],
            "message": "No tool matches these words.",
            **lacking,
            "tools": named_together(view.toolsets),
            "next": {"learn": True},
        }
    named = {f"{tool.toolset} {tool.name}": tool.first_sentence for tool in tools}
    following = {"learn": True, "tool": tools[0].toolset, "command": tools[0].name}
    return {"matches": [], "message": "No tool matches. Closest:", "closest": named, **lacking, "next": following}


def _following(found: Found, view: View) -> dict[str, Any]:
    """The next call that an answer suggests if tools match.

    By default, the suggestion is to call the best match. If the best match changes something, and the caller asked a
    question or may mean another tool, the suggestion is to get an explanation of the tool first.
    """
    best = found.matches[0]
    is_change = best.tool.access is not Access.READ
    if is_change and (found.is_question or not best.is_sure):
        return {"next": {"learn": True, "tool": best.tool.toolset, "command": best.tool.name}}
    return {"next": _call_of(best.tool, view)}


def _match_entry(tool: Tool, view: View, *, is_explained: bool = False) -> dict[str, Any]:
    entry = {"tool": tool.toolset, "command": tool.name, "access": tool.access.label}
    if view.listed_name(tool):
        return entry | {"description": tool.first_sentence, "listed": True}
    if is_explained:
        return entry | {"description": tool.description, "inputSchema": tool.input_schema}
    return entry | {"description": tool.first_sentence, "parameters": _parameters_of(tool)}
