"""What is wrong with the arguments of a call, in words that a model can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from mcp_server.toolset import Tool
from mcp_server.words import listing, nearest

_PROBLEMS_TOLD: Final = 20


def unknown_arguments(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """A sentence for each argument that the tool does not have, or the first few of them."""
    valid = list(tool.input_schema.get("properties", {}))
    unknown = [name for name in arguments if name not in valid]
    return [_unknown(name, valid) for name in unknown[:_PROBLEMS_TOLD]]


def _unknown(name: str, valid: list[str]) -> str:
    parameters = f"The parameters are {listing(valid)}." if valid else "There are no parameters."
    return f"{name[:100]}: there is no such parameter.{nearest(name, valid)} {parameters}"


def problems_of(error: ValidationError, schema: Mapping[str, Any]) -> list[str]:
    """A sentence for each problem: where, and what is expected there. The value sent is not repeated."""
    found = error.errors(include_url=False, include_input=False)
    return list(dict.fromkeys(_sentence(problem, schema) for problem in found))[:_PROBLEMS_TOLD]


def _sentence(problem: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    location = ".".join(str(part)[:100] for part in problem["loc"]) or "arguments"
    match problem["type"]:
        case "missing":
            return f"{location}: is required{_described(problem, schema)}"
        case "string_pattern_mismatch":
            return f"{location}: does not have the right form{_described(problem, schema)}"
        case "extra_forbidden":
            return f"{location}: there is no such field."
        case "value_error" | "assertion_error":
            return f"{location}: {problem['ctx']['error']}"
    message = str(problem["msg"])
    return f"{location}: {message[:1].lower()}{message[1:]}."


def _described(problem: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    node: Any = schema
    for part in problem["loc"]:
        node = node.get("properties", {}).get(part) or node.get("items", {})
    description = node.get("description")
    return f": {description}" if description else "."
