"""The two tools through which a model finds, learns and calls every other: one that reads, and one that changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Final

from pydantic import Field, WithJsonSchema

from identity.access import Access
from mcp_server.bounds import excess
from mcp_server.catalog.explaining import explanation, named_together
from mcp_server.catalog.finding import Finder, UnknownToolError
from mcp_server.catalog.gateway_request import GatewayRequest
from mcp_server.catalog.right_call import CHANGE, LEARN, WAYS, json_of, next_told, repeated, way_to
from mcp_server.declarations.function_tool import FunctionTool, intake_of
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.tool import Result, Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.protocol.results import CallResult, Json, text
from mcp_server.view import View
from mcp_server.visit import Context, Visit, Way
from refusal import Refusal

# What keeps a tool before a model where a client hides tools until they are looked for.
_KEPT_LOADED: Final = {"anthropic/alwaysLoad": True}


# Any object: pydantic would add that it may have any names, which says nothing more.
_Given = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]


@dataclass(frozen=True, eq=False, kw_only=True)
class _WayTool(FunctionTool):
    """Its description ends with what no function can know of itself: the other one, or what it reaches."""

    is_beside_the_other: bool = False
    reached: str = ""

    @property
    def own_access(self) -> Access:
        return Access.READ

    @property
    def description(self) -> str:
        return f"{super().description}{self.ending}"

    @property
    def ending(self) -> str:
        return f"\nTools: {self.reached}."

    @cached_property
    def published(self) -> Json:
        return {**super().published, "_meta": _KEPT_LOADED}


class _LearnTool(_WayTool):
    @property
    def ending(self) -> str:
        beside = f" {CHANGE} calls what changes something." if self.is_beside_the_other else ""
        return f"{beside}{super().ending}"


class _ChangeTool(_WayTool):
    @property
    def ending(self) -> str:
        return f" {LEARN} explains it." if self.is_beside_the_other else super().ending

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if self.is_beside_the_other and (asking := _asking(arguments)):
            intake_of(azure).check(asking, intake_of(azure).schema)
            told = next_told({"call": LEARN, "arguments": asking})
            raise Refusal(f"{CHANGE!r} only calls, and {LEARN!r} explains.{told}")
        return super().check(arguments)


def _asking(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What of these arguments asks for an explanation; nothing if they ask for a call."""
    if arguments.get("learn"):
        return {name: arguments[name] for name in ("learn", "tool", "command") if name in arguments}
    is_call = "tool" in arguments and "command" in arguments
    return {"intent": arguments["intent"]} if "intent" in arguments and not is_call else {}


def ways_of(toolsets: Sequence[Toolset], chosen: Collection[str] | None = None) -> Iterator[Tool]:
    """Those of the two that belong to a view which reaches these toolsets; some of them must have tools.

    Clients decide by the name of a tool whether to ask people. So `azure` only reads, unless nothing but it was chosen:
    then it does everything, and is announced by the most of it.

    Raises:
        Refusal: Nothing but the one that changes was chosen, and nothing changes anything.
    """
    names = set(WAYS if chosen is None else chosen)
    most = max(_most_of(tool) for toolset in toolsets for tool in toolset.tools)
    reached = named_together(toolsets)
    changes = most is not Access.READ and CHANGE in names
    if LEARN in names:
        access = most if names == {LEARN} else Access.READ
        yield replace(ITSELF[LEARN], access=access, reached=reached, is_beside_the_other=changes)
    if changes:
        yield replace(ITSELF[CHANGE], access=most, reached=reached, is_beside_the_other=LEARN in names)
    elif names == {CHANGE}:
        raise Refusal(f"There is no {CHANGE!r} here: no available tool changes anything.")


def _most_of(tool: Tool) -> Access:
    """How far some call of it goes."""
    return Access.DESTROY if tool.may_destroy else tool.access


async def azure(
    context: Context,
    intent: Annotated[str | None, Field(description="What you want to do")] = None,
    tool: Annotated[str | None, Field(description="Name of a tool")] = None,
    command: Annotated[str | None, Field(description="One of its commands")] = None,
    parameters: Annotated[_Given | None, Field(description="Its arguments")] = None,
    select: Annotated[str | None, Field(description="JMESPath of what to keep, as items[].name")] = None,
    learn: Annotated[bool | None, Field(description="Only explain")] = None,
) -> Result:
    """Find, learn and call every other tool.

    intent finds what fits, with its schema; learn explains all, a tool or a command; tool, command and parameters call
    it.
    """
    request = GatewayRequest.of(
        intent=intent, tool=tool, command=command, parameters=parameters, select=select, learn=learn
    )
    if request.is_call:
        return await _called(LEARN, request, context)
    explained = await _explained(request, context.visit)
    if request.select:
        raise Refusal("select keeps part of an answer: pass it with tool, command and parameters.")
    return CallResult([text(json_of(explained))], explained)


async def azure_change(
    context: Context,
    tool: Annotated[str, Field(description="Name of a tool")],
    command: Annotated[str, Field(description="One of its commands")],
    parameters: Annotated[_Given | None, Field(description="Its arguments")] = None,
    select: Annotated[str | None, Field(description="As in azure")] = None,
) -> Result:
    """Call a command whose access is write or destroy."""
    request = GatewayRequest.of(tool=tool, command=command, parameters=parameters, select=select)
    return await _called(CHANGE, request, context)


async def _explained(request: GatewayRequest, visit: Visit) -> dict[str, Any]:
    try:
        return explanation(request, visit.view)
    except UnknownToolError as unknown:
        raise Refusal(f"{unknown}{await visit.means.missing_tool_hint(visit, unknown.name)}") from None


async def _called(at: str, request: GatewayRequest, context: Context) -> Result:
    view = context.visit.view
    from mcp_server.calls.call import call

    _, command = Finder(view, at).command(request)
    if way_to(command, view) != at:
        raise _misdirected(at, command, request, view)
    return await call(command, request.parameters, context, Way.LEARNED, request.select)


def _misdirected(at: str, command: Tool, request: GatewayRequest, view: View) -> Refusal:
    """What is wrong, and the right call."""
    does = "only reads" if command.access is Access.READ else "changes something"
    right = repeated(command, request.parameters, view, request.select) or f" It needs {LEARN!r}, which was not chosen."
    return Refusal(f"{command.name!r} {does}, so it cannot be called through {at!r}. Nothing was done.{right}")


# What of the two does not depend on a view: for whoever has to know which tool a request is about.
ITSELF: Final = {
    LEARN: _LearnTool(function=azure, name=LEARN, toolset=LEARN, access=Access.READ, title="Azure"),
    CHANGE: _ChangeTool(function=azure_change, name=CHANGE, toolset=LEARN, access=Access.WRITE, title="Azure change"),
}


def gateway_request_in(name: str, arguments: Mapping[str, Any]) -> GatewayRequest | None:
    """What a call of one of the two with these arguments will ask for, in whichever form they come.

    None if it will be refused.
    """
    if excess(arguments):
        return None
    given = {name: value for name, value in arguments.items() if value is not None}
    intake = intake_of(ITSELF[name].function)
    try:
        return GatewayRequest.of(**intake.check(given, intake.schema))
    except InvalidArgumentsError:
        return None
