"""The two gateway tools, which a model uses to find, understand and call all other tools.

`azure` only reads, and `azure_change` changes things.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Final

from identity.access import Access
from mcp_server.bounds import excess
from mcp_server.catalog.explaining import named_together
from mcp_server.catalog.gateway_request import GatewayRequest
from mcp_server.catalog.right_call import CHANGE, LEARN, WAYS, next_told
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.outlined import OutlinedTool, told_by
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.protocol.results import Json
from refusal import Refusal

# Metadata that makes clients always load the tool, even if they load other tools only after a search.
_KEPT_LOADED: Final = {"anthropic/alwaysLoad": True}
OUTLINES: Final = Path(__file__).with_name("gateway.json")


@dataclass(frozen=True, eq=False, kw_only=True)
class _GatewayTool(OutlinedTool):
    """A gateway tool as it appears in a view.

    The description ends with a list of the tools that can be called, the name of the other gateway tool, or both.
    """

    is_beside_the_other: bool = False
    reached: str = ""

    @property
    def own_access(self) -> Access:
        return Access.READ

    def access_of(self, _meant: Mapping[str, Any]) -> Access:
        return self.own_access

    @property
    def description(self) -> str:
        return f"{super().description}{self.ending}"

    @property
    def ending(self) -> str:
        return f"\nTools: {self.reached}."

    @cached_property
    def published(self) -> Json:
        return {**super().published, "_meta": _KEPT_LOADED}


class _LearnTool(_GatewayTool):
    @property
    def ending(self) -> str:
        beside = f" {CHANGE} calls tools that change something." if self.is_beside_the_other else ""
        return f"{beside}{super().ending}"


class _ChangeTool(_GatewayTool):
    @property
    def ending(self) -> str:
        return f" {LEARN} explains it." if self.is_beside_the_other else super().ending

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if self.is_beside_the_other and (asking := _asking(arguments)):
            gateway_tool(LEARN).check(asking)
            told = next_told({"call": LEARN, "arguments": asking})
            raise Refusal(f"{CHANGE!r} can only call tools. Use {LEARN!r} to find and explain them.{told}")
        return super().check(arguments)


def _asking(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """If the caller asked for an explanation, return the arguments with which `azure` gives this explanation.

    Return an empty dictionary if the caller wants to call a tool instead.
    """
    if arguments.get("learn"):
        return {name: arguments[name] for name in ("learn", "tool", "command") if name in arguments}
    is_call = "tool" in arguments and "command" in arguments
    return {"intent": arguments["intent"]} if "intent" in arguments and not is_call else {}


def ways_of(toolsets: Sequence[Toolset], chosen: Collection[str] | None = None) -> Iterator[Tool]:
    """The gateway tools for a view with these toolsets. At least one of the toolsets must have tools.

    Clients use the name of a tool to decide whether to ask their user for permission, so `azure` only reads. If the
    caller selected only `azure`, it can also change things, and declares the highest access.

    Raises:
        Refusal: The caller selected only `azure_change`, but no available tool changes anything.
    """
    names = set(WAYS if chosen is None else chosen)
    most = max(_most_of(tool) for toolset in toolsets for tool in toolset.tools)
    reached = named_together(toolsets)
    changes = most is not Access.READ and CHANGE in names
    if LEARN in names:
        access = most if names == {LEARN} else Access.READ
        yield replace(gateway_tool(LEARN), access=access, reached=reached, is_beside_the_other=changes)
    if changes:
        yield replace(gateway_tool(CHANGE), access=most, reached=reached, is_beside_the_other=LEARN in names)
    elif names == {CHANGE}:
        raise Refusal(f"{CHANGE!r} is not available: no available tool changes anything.")


def _most_of(tool: Tool) -> Access:
    """The highest access that a call to the tool may need."""
    return Access.DESTROY if tool.may_destroy else tool.access


def _declared(name: str) -> Tool:
    from mcp_server.catalog.gateway_tools import DECLARED

    return DECLARED[name]


@cache
def gateway_tool(name: str) -> _GatewayTool:
    """A gateway tool without a view, used to find out which tool a request calls."""
    kind = _LearnTool if name == LEARN else _ChangeTool
    declared = partial(_declared, name)
    # `scripts/docs` generates this file and the outlines of toolsets from the declarations.
    outlines: Mapping[str, Json] = json.loads(OUTLINES.read_text(encoding="utf-8"))
    return kind(**told_by(outlines[name], declared), toolset=LEARN, declared=declared)


def gateway_request_in(name: str, arguments: Mapping[str, Any]) -> GatewayRequest | None:
    """Parse the arguments of a gateway tool. None if the arguments are invalid."""
    if excess(arguments):
        return None
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return GatewayRequest.of(**gateway_tool(name).check(given))
    except InvalidArgumentsError:
        return None
