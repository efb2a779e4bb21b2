"""One call of one tool: the same whether it came directly or through `azure`."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from mcp_server.failures import told
from mcp_server.invalid import problems_of, unknown_arguments
from mcp_server.toolset import Tool
from mcp_server.words import speakable


async def call(tool: Tool, arguments: dict[str, Any], context: Context) -> CallToolResult | InputRequiredResult:
    """Check the arguments, run the tool, and put what came of it into the form that clients read.

    What the model can mend is told in words; anything else that fails is a defect, told only to the log.
    """
    # Many clients send a null for what they leave out.
    arguments = {name: value for name, value in arguments.items() if value is not None}
    problems = _problems(tool, arguments)
    if problems:
        return _invalid(tool, problems)
    try:
        return result_of(tool, await tool.sdk.run(arguments, context))
    except MCPError:
        raise
    except UnexpectedToolError as failure:
        return refused(told(tool.name, failure.__cause__ or failure))
    except ToolError as failure:
        if isinstance(failure.__cause__, ValidationError):
            return _invalid(tool, problems_of(failure.__cause__, tool.input_schema))
        return refused(str(failure.__cause__ or failure))
    except Exception as defect:  # noqa: BLE001 - whatever a result has done wrong, its caller is answered
        return refused(told(tool.name, defect))


def _problems(tool: Tool, arguments: dict[str, Any]) -> list[str]:
    """What is wrong before the tool is asked; with an unknown argument all the rest, so that one more call mends it."""
    try:
        to_json(arguments)
    except PydanticSerializationError:
        return ["A text holds half of a surrogate pair, which stands for no character."]
    unknown = unknown_arguments(tool, arguments)
    if not unknown:
        return []
    try:
        tool.sdk.fn_metadata.validate_arguments(arguments)
    except ValidationError as invalid:
        return [*unknown, *problems_of(invalid, tool.input_schema)]
    return unknown


def _invalid(tool: Tool, problems: list[str]) -> CallToolResult:
    lines = "\n".join(f"- {problem}" for problem in problems)
    return refused(f"The arguments of {tool.name} are not valid; nothing was done.\n{lines}")


def refused(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=speakable(text))], is_error=True)


def result_of(tool: Tool, value: Any) -> CallToolResult | InputRequiredResult:
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
