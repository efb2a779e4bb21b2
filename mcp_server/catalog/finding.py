"""Finds the toolset and command that a request names.

If no command matches, suggests the closest names and the next call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mcp_server.catalog.gateway_request import GatewayRequest
from mcp_server.catalog.right_call import LEARN, json_of
from mcp_server.declarations.names import command_of, names_of
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import View, why_absent
from mcp_server.wording import listing, nearest, nearest_names
from refusal import Refusal

# Names from callers are truncated to this length in messages. The names of all tools and toolsets are shorter.
_ECHOED: Final = 100


class UnknownToolError(Refusal):
    """The caller has no tool with this name."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__(words)
        self.name = name


@dataclass(frozen=True, slots=True)
class Finder:
    """Searches the view for the toolset and the command that a gateway request names.

    Raises errors that say what to call next.
    """

    view: View
    at: str

    def command(self, request: GatewayRequest) -> tuple[Toolset, Tool]:
        toolset, name = self.toolset(request), request.command
        if found := command_of(toolset, name):
            return toolset, found
        hint = (
            self._owners_told(name)
            or self._nearest_command(name, [toolset])
            or self._nearest_command(name, self.view.toolsets)
            or self._next(tool=toolset.name)
            or f" Its commands are {listing(tool.name for tool in toolset.tools)}."
        )
        raise Refusal(f"The tool {toolset.name!r} has no command {name[:_ECHOED]!r}.{hint}")

    def toolset(self, request: GatewayRequest) -> Toolset:
        """Find the toolset by its name. If the toolset does not exist, the error says what to call instead."""
        name = request.tool
        if found := self.view.reached_toolset(name):
            return found
        if lacking := why_absent(name, self.view.absent):
            raise Refusal(f"Tool {name[:_ECHOED]!r} is not available: {lacking}")
        hint = self._owners_told(request.command) or self._owners_told(name) or self._nearest_toolsets(name)
        raise UnknownToolError(name, f"Tool {name[:_ECHOED]!r} not found.{hint}")

    def _nearest_toolsets(self, name: str) -> str:
        names = [toolset.name for toolset in self.view.toolsets if toolset.tools]
        near = nearest_names(name, names)
        tools = f"{nearest(name, names)} The tools are {listing(names)}."
        return tools + (self._next(tool=near[0]) if near else self._next())

    def incomplete(self, request: GatewayRequest) -> Refusal:
        if request.tool:
            return Refusal(f"`command` is required.{self._next(tool=self.toolset(request).name)}")
        if owners := self._owners_told(request.command):
            return Refusal(f"`tool` is required for this command.{owners}")
        if request.command:
            hint = self._nearest_command(request.command, self.view.toolsets) or self._next()
            return Refusal(f"Command {request.command[:_ECHOED]!r} not found.{hint}")
        return Refusal(f"Pass `intent` or `tool`.{self._next()} or {json_of({'intent': 'what you want to do'})}")

    def _owners_told(self, command: str) -> str:
        """Say which toolsets have this command, and what to call next. Empty if no toolset has the command."""
        owners = [toolset.name for toolset in self.view.toolsets if command and command_of(toolset, command)]
        if not owners:
            return ""
        return f" {command!r} is a command of {_either(owners)}.{self._next(tool=owners[0], command=command)}"

    def _nearest_command(self, name: str, toolsets: Sequence[Toolset]) -> str:
        """Say which commands have a similar name, and what to call next. Empty if no command has a similar name."""
        owners = {known: toolset.name for toolset in toolsets for tool in toolset.tools for known in names_of(tool)}
        near = nearest_names(name, list(owners))
        if not near:
            return ""
        return f"{nearest(name, list(owners))}{self._next(tool=owners[near[0]], command=near[0])}"

    def _next(self, **named: str) -> str:
        """The call to `azure` that the caller should make next. Empty if `azure` is not available."""
        if LEARN not in self.view.tools:
            return ""
        asking = {"learn": True, **named}
        return f" Next: {json_of(asking if self.at == LEARN else {'call': LEARN, 'arguments': asking})}"


def _either(owners: Sequence[str]) -> str:
    return " and of ".join(map(repr, owners))
