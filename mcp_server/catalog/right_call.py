"""The names of the two gateway tools, and how to call other tools directly or through a gateway tool."""

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

# Finds and explains tools, and calls tools that only read.
LEARN: Final = "azure"
# Calls tools that change something.
CHANGE: Final = "azure_change"
WAYS: Final = {LEARN: "all other tools", CHANGE: "all tools that change something"}
# The maximum length of a suggested call in a message to the caller.
_LONGEST_REPEATED: Final = 2000


def way_to(command: Tool, view: View) -> str:
    """The gateway tool that can call this command in the view. Empty if no gateway tool can call it."""
    learn = view.tools.get(LEARN)
    if learn and command.access <= learn.access:
        return LEARN
    return CHANGE if CHANGE in view.tools and command.access is not Access.READ else ""


def right_call(command: Tool, parameters: Mapping[str, Any], view: View, select: str = "") -> dict[str, Any]:
    """The call that runs this command with these parameters. Empty if the command cannot be called in the view.

    With `select`, the call uses a gateway tool if possible, because direct calls do not have this parameter.
    """
    way, listed = way_to(command, view), view.direct_name(command)
    if listed and not (select and way):
        return {"call": listed, "arguments": dict(parameters)}
    named = {"tool": command.toolset, "command": command.name, "parameters": dict(parameters)}
    return {"call": way, "arguments": named | ({"select": select} if select else {})} if way else {}


def repeated(command: Tool, parameters: Mapping[str, Any], view: View, select: str = "") -> str:
    """Suggest the correct call with the caller's parameters. Empty if the command cannot be called in the view.

    If the parameters are too long or invalid, the suggested call contains placeholders, because invalid parameters may
    contain a secret.
    """
    parameters = renamed(command, parameters, view.vocabulary.parameters)
    told = _without_secrets(command, parameters)
    exact = next_told(right_call(command, told, view, select)) if _are_valid(command, parameters) else ""
    return exact or next_told(right_call(command, blanks(command), view, select))


def next_told(call: Mapping[str, Any]) -> str:
    """A sentence that suggests this call as the next one. Empty if there is no call, or if the call is too long."""
    text = json_of(call) if call else ""
    return f" Next: {text}" if text and len(text) <= _LONGEST_REPEATED else ""


def _without_secrets(command: Tool, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: f"<{name}>" if name in command.secret else value for name, value in parameters.items()}


def blanks(command: Tool) -> dict[str, str]:
    """Placeholders for the required parameters."""
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
