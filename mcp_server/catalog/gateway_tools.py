"""The functions of the two gateway tools. This module is imported with the first call to a gateway tool."""

from __future__ import annotations

from typing import Annotated, Any, Final

from identity.access import Access
from mcp_server.catalog.explaining import explanation
from mcp_server.catalog.finding import Finder, UnknownToolError
from mcp_server.catalog.gateway_request import GatewayRequest
from mcp_server.catalog.right_call import CHANGE, LEARN, json_of, repeated, way_to
from mcp_server.declarations.field import Field, Schema
from mcp_server.declarations.function_tool import FunctionTool
from mcp_server.declarations.tool import Result, Tool
from mcp_server.protocol.results import CallResult, InputRequired, text
from mcp_server.view import View
from mcp_server.visit import Context, Visit, Way
from refusal import Refusal
from tasks.task import Task

# The schema of any JSON object, without the redundant `additionalProperties` that Pydantic would add.
_Given = Annotated[dict[str, Any], Schema({"type": "object"})]


async def azure(
    context: Context,
    intent: Annotated[str | None, Field(description="What you want to do")] = None,
    tool: Annotated[str | None, Field(description="Tool name")] = None,
    command: Annotated[str | None, Field(description="One of its commands")] = None,
    parameters: Annotated[_Given | None, Field(description="Its arguments")] = None,
    select: Annotated[str | None, Field(description="Return only this JMESPath, e.g. items[].name")] = None,
    learn: Annotated[bool | None, Field(description="Only explain")] = None,
) -> CallResult | InputRequired | Task:
    """Find, explain and call every other tool.

    intent finds tools and their schemas; learn explains all tools, a tool or a command. To call a command, pass tool,
    command and parameters.
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
    tool: Annotated[str, Field(description="Tool name")],
    command: Annotated[str, Field(description="One of its commands")],
    parameters: Annotated[_Given | None, Field(description="Its arguments")] = None,
    select: Annotated[str | None, Field(description="As in azure")] = None,
) -> CallResult | InputRequired | Task:
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
    """An error that says why the command cannot be called with this tool, and how to call it."""
    does = "only reads" if command.access is Access.READ else "changes something"
    right = (
        repeated(command, request.parameters, view, request.select)
        or f" The call requires {LEARN!r}, which was not selected."
    )
    return Refusal(f"{command.name!r} {does}, so it cannot be called through {at!r}. Nothing was changed.{right}")


DECLARED: Final = {
    LEARN: FunctionTool(function=azure, name=LEARN, toolset=LEARN, access=Access.READ, title="Azure"),
    CHANGE: FunctionTool(function=azure_change, name=CHANGE, toolset=LEARN, access=Access.WRITE, title="Azure change"),
}
