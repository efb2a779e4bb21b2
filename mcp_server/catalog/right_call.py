"""The two tools through which all others are called, and the call that reaches one of those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from identity.access import Access
from mcp_server.bounds import excess
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.parameter_names import renamed
from mcp_server.declarations.tool import CONFIRM, Tool
from mcp_server.protocol.json_text import to_json
from mcp_server.view import View
from refusal import Refusal

# Finds, explains, and calls what only reads.
LEARN: Final = "azure"
# Calls what changes something.
CHANGE: Final = "azure_change"
WAYS: Final = {LEARN: "all other tools", CHANGE: "all tools that change something"}
# A call that is longer is not repeated to whoever sent it.
_LONGEST_REPEATED: Final = 2000


def way_to(command: Tool, view: View) -> str:
    """Which of the two calls this one in the view: `azure` no more than it is announced to do; nothing if neither."""
    learn = view.tools.get(LEARN)
    if learn and command.access <= learn.access:
        return LEARN
    return CHANGE if CHANGE in view.tools and command.access is not Access.READ else ""


def right_call(command: Tool, parameters: Mapping[str, Any], view: View, select: str = "") -> dict[str, Any]:
    """The call of this command with these parameters; nothing where the view has no way to it.

    A call of its own has no room for a `select`.
    """
    way, listed = way_to(command, view), view.direct_name(command)
    if listed and not (select and way):
        return {"call": listed, "arguments": dict(parameters)}
    named = {"tool": command.toolset, "command": command.name, "parameters": dict(parameters)}
    return {"call": way, "arguments": named | ({"select": select} if select else {})} if way else {}


def repeated(command: Tool, parameters: Mapping[str, Any], view: View, select: str = "") -> str:
    """The same for whoever has sent these parameters elsewhere, as a sentence; nothing where there is no way.

    What is not valid may be a secret that was sent by mistake: then, as where there is much of it, only the names of
    what has to be given are told.
    """
    parameters = renamed(command, parameters, view.vocabulary.parameters)
    told = _without_secrets(command, parameters)
    exact = next_told(right_call(command, told, view, select)) if _are_valid(command, parameters) else ""
    return exact or next_told(right_call(command, blanks(command), view, select))


def next_told(call: Mapping[str, Any]) -> str:
    """The call as a sentence; nothing where there is none, or one that is too long to be read."""
    text = json_of(call) if call else ""
    return f" Next: {text}" if text and len(text) <= _LONGEST_REPEATED else ""


def _without_secrets(command: Tool, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: f"<{name}>" if name in command.secret else value for name, value in parameters.items()}


def blanks(command: Tool) -> dict[str, str]:
    """What has to be given, to be filled in."""
    return {name: f"<{name}>" for name in command.input_schema.get("required", ())}


def _are_valid(command: Tool, parameters: Mapping[str, Any]) -> bool:
    given = {name: value for name, value in parameters.items() if value is not None and name != CONFIRM}
    try:
        to_json(given)
        if not excess(given):
            command.check(given)
            return True
    except (InvalidArgumentsError, Refusal, ValueError):
        pass
    return False


def json_of(document: Mapping[str, Any]) -> str:
    return to_json(document).decode()
