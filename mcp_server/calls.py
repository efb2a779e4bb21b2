"""One call of one tool: the same whether it came directly or through `azure`."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ValidationError
from pydantic_core import to_json

from mcp_server.invalid import problems_of, unknown_arguments
from mcp_server.toolset import Tool
from refusal import Refusal

logger = logging.getLogger(__name__)


async def call(tool: Tool, arguments: dict[str, Any], context: Context) -> CallToolResult | InputRequiredResult:
    """Check the arguments, run the tool, and put what came of it into the form that clients read.

    What the model can mend is told in words; anything else that fails is a defect, told only to the log.
    """
    unknown = unknown_arguments(tool, arguments)
    if unknown:
        return _invalid(tool, [*unknown, *_other_problems(tool, arguments)])
    try:
        value = await tool.callable.run(arguments, context)
    except ToolError as failure:
        return _failed(tool, failure.__cause__ or failure)
    return result_of(tool, value)


def _other_problems(tool: Tool, arguments: dict[str, Any]) -> list[str]:
    """Told at once, so that one more call mends them all."""
    try:
        tool.callable.fn_metadata.validate_arguments(arguments)
    except ValidationError as invalid:
        return problems_of(invalid, tool.input_schema)
    return []


def _failed(tool: Tool, cause: BaseException) -> CallToolResult:
    match cause:
        case ValidationError():
            return _invalid(tool, problems_of(cause, tool.input_schema))
        case Refusal() | ToolError():
            return refused(str(cause))
    incident = report(f"Tool {tool.name!r}", cause)
    return refused(
        f"{tool.name} failed on the server, not because of your arguments. Incident {incident}; tell the operator."
    )


def report(what: str, cause: BaseException) -> str:
    """Log a defect with its traceback, and return the id under which to find it."""
    incident = uuid.uuid4().hex[:12]
    logger.error("%s failed: incident %s", what, incident, exc_info=cause)
    return incident


def _invalid(tool: Tool, problems: list[str]) -> CallToolResult:
    lines = "\n".join(f"- {problem}" for problem in problems)
    return refused(f"The arguments of {tool.name} are not valid; nothing was done.\n{lines}")


def refused(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def result_of(tool: Tool, value: Any) -> CallToolResult | InputRequiredResult:
    """Give data both ways: as compact JSON text, which every client shows its model, and as structured content."""
    metadata = tool.callable.fn_metadata
    if isinstance(value, CallToolResult | InputRequiredResult) or metadata.output_model is None:
        return metadata.convert_result(value)
    structured = _structured(tool, value)
    text = value if isinstance(value, str) else to_json(structured).decode()
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def _structured(tool: Tool, value: Any) -> Any:
    if tool.gives_json:
        return value
    output = tool.output.validate_python({"result": value} if tool.callable.fn_metadata.wrap_output else value)
    return tool.output.dump_python(output, mode="json", by_alias=True)
