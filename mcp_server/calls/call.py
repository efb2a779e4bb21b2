"""One call of one tool: the same whether it came directly, through `azure` or over REST."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from mcp_server.calls.audit import Outcome, Way
from mcp_server.calls.consent import question
from mcp_server.calls.invalid_arguments import problems_of, unknown_arguments
from mcp_server.calls.recording import recorded
from mcp_server.declarations.toolset import CONFIRM, Access, Tool
from mcp_server.failures import denial_behind, report_failure
from mcp_server.visit import visit_of
from mcp_server.wording import speakable
from refusal import Refusal

LARGEST_RESULT: Final = 4 * 1024 * 1024

Result = CallToolResult | InputRequiredResult


async def call(tool: Tool, arguments: dict[str, Any], context: Context, way: Way | None = None) -> Result:
    """Check the arguments, run the tool, and put what came of it into the form that clients read.

    What the model can mend is told in words; anything else that fails is a defect, told only to the log. Whatever comes
    of it, the call leaves one record.
    """
    # Many clients send a null for what they leave out.
    arguments = {name: value for name, value in arguments.items() if value is not None}
    visit = visit_of(context.request_context)
    with recorded(visit, tool, arguments, way or visit.way) as record:
        result, record.outcome = await _answered(tool, arguments, context)
        return result


async def _answered(tool: Tool, arguments: dict[str, Any], context: Context) -> tuple[Result, Outcome]:
    try:
        result = await _run(tool, arguments, context)
    except Refusal as refusal:
        return error_result(str(refusal)), Outcome.REFUSED
    except _TookTooLongError:
        limit = f"{tool.name} was stopped after {tool.seconds:g} seconds. Ask for less"
        undone = "." if tool.access is Access.READ else ", and look first at what it has done already."
        return error_result(limit + undone), Outcome.LIMITED
    except MCPError:
        raise
    except Exception as defect:  # noqa: BLE001 - whatever a tool has done wrong, its caller is answered
        if denial := denial_behind(defect):
            visit_of(context.request_context).denial = denial
            return error_result(str(denial)), Outcome.DENIED
        return error_result(report_failure(tool.name, defect)), Outcome.FAILED
    if isinstance(result, InputRequiredResult):
        return result, Outcome.ASKED
    return result, Outcome.REFUSED if result.is_error else Outcome.DONE


class _TookTooLongError(Exception):
    """The time limit of the tool has passed."""


async def _run(tool: Tool, arguments: dict[str, Any], context: Context) -> Result:
    problems = _problems(tool, arguments)
    if problems:
        raise _invalid(tool, problems)
    if tool.confirm:
        arguments = dict(arguments)
        confirmed = arguments.pop(CONFIRM, None)
        # Asked is for what the tool will be given, which may be spelt in another way than what was sent.
        asked = question(tool, tool.sdk.fn_metadata.validate_arguments(arguments), confirmed, context)
        if asked:
            return asked
        # What came back of the question is used up, and not for the tool.
        context = Context(request_context=context.request_context)
    return _bounded(tool, result_of(tool, await _value(tool, arguments, context)))


async def _value(tool: Tool, arguments: dict[str, Any], context: Context) -> Any:
    """What the function gives, or what it raised, without what the SDK wraps around it."""
    limit = asyncio.timeout(tool.seconds)
    try:
        async with limit:
            return await tool.sdk.run(arguments, context)
    except TimeoutError as late:
        raise (_TookTooLongError() if limit.expired() else late) from None
    except UnexpectedToolError as failure:
        raise (failure.__cause__ or failure) from None
    except ToolError as failure:
        if isinstance(failure.__cause__, ValidationError):
            raise _invalid(tool, problems_of(failure.__cause__, tool.input_schema)) from None
        raise (failure.__cause__ or Refusal(str(failure))) from None


def _problems(tool: Tool, arguments: dict[str, Any]) -> list[str]:
    """What is wrong before the tool is asked.

    With an unknown argument all the rest, so that one more call mends it; and all before anybody is asked for consent.
    """
    try:
        to_json(arguments)
    except PydanticSerializationError:
        return ["A text holds half of a surrogate pair, which stands for no character."]
    unknown = unknown_arguments(tool, arguments)
    if not unknown and not tool.confirm:
        return []
    try:
        tool.sdk.fn_metadata.validate_arguments(arguments)
    except ValidationError as invalid:
        return [*unknown, *problems_of(invalid, tool.input_schema)]
    return unknown


def _invalid(tool: Tool, problems: list[str]) -> Refusal:
    lines = "\n".join(f"- {problem}" for problem in problems)
    return Refusal(f"The arguments of {tool.name} are not valid; nothing was done.\n{lines}")


def error_result(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=speakable(text))], is_error=True)


def result_of(tool: Tool, value: Any) -> Result:
    """Give data both ways: as compact JSON text, which every client shows its model, and as structured content."""
    metadata = tool.sdk.fn_metadata
    if isinstance(value, CallToolResult | InputRequiredResult) or metadata.output_model is None:
        return metadata.convert_result(value)
    structured = _structured(tool, value)
    text = speakable(value) if isinstance(value, str) else to_json(structured, inf_nan_mode="null").decode()
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def _structured(tool: Tool, value: Any) -> Any:
    if tool.gives_json:
        return value
    output = tool.output.validate_python({"result": value} if tool.sdk.fn_metadata.wrap_output else value)
    return tool.output.dump_python(output, mode="json", by_alias=True)


def _bounded(tool: Tool, result: Result) -> Result:
    parts = result.content if isinstance(result, CallToolResult) else []
    size = sum(len(part.text) for part in parts if isinstance(part, TextContent))
    if size > LARGEST_RESULT:
        done = "" if tool.access is Access.READ else " It has done what it was asked."
        raise Refusal(
            f"The answer of {tool.name} has {size} characters, and no more than {LARGEST_RESULT} fit.{done} Ask for"
            " less: narrow it, or set a smaller limit if it takes one."
        )
    return result
