"""Explains invalid arguments to a model, so that the model can correct them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mcp_server.wording import listing, nearest

if TYPE_CHECKING:
    from pydantic import ValidationError

_PROBLEMS_TOLD: Final = 20
_PROBLEMS_READ: Final = 200

# Descriptions of the expected types, with terms from JSON instead of Python.
_EXPECTED: Final = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "an object",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "string_type": "text",
}


class InvalidArgumentsError(Exception):
    """The arguments of a call are invalid.

    The error contains a sentence for each problem, but not the values of the arguments.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(*problems)
        self.problems = problems


def unknown_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """A sentence for each unknown argument, up to a limit."""
    valid = list(schema.get("properties", {}))
    unknown = [name for name in arguments if name not in valid]
    return [_unknown(name, name, valid) for name in unknown[:_PROBLEMS_TOLD]]


def _unknown(location: str, name: str, valid: list[str]) -> str:
    known = f"Valid: {listing(valid)}." if valid else "There are none."
    return f"{location[:200]}: unknown parameter.{nearest(name, valid)} {known}"


def problems_of(error: ValidationError, schema: Mapping[str, Any]) -> list[str]:
    """A sentence for each problem, with the name of the parameter and the values that it accepts.

    The sentences do not repeat the invalid values.
    """
    found = error.errors(include_url=False, include_input=False)
    return list(dict.fromkeys(_sentence(problem, schema) for problem in found[:_PROBLEMS_READ]))[:_PROBLEMS_TOLD]


def _sentence(problem: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    path = problem["loc"]
    location = ".".join(str(part)[:100] for part in path) or "arguments"
    match problem["type"]:
        case "missing":
            return f"{location}: is required{_described(path, schema)}"
        case "string_pattern_mismatch":
            return f"{location}: has an invalid format{_described(path, schema)}"
        case "extra_forbidden":
            return _unknown(location, str(path[-1]), list(_node(path[:-1], schema).get("properties", {})))
        case "value_error" | "assertion_error":
            return f"{location}: {problem['ctx']['error']}"
        case kind if kind in _EXPECTED:
            return f"{location}: must be {_EXPECTED[kind]}{_described(path, schema)}"
    return f"{location}: {str(problem['msg']).replace('Input should be', 'must be', 1)}."


def _described(path: Sequence[Any], schema: Mapping[str, Any]) -> str:
    description = _node(path, schema).get("description")
    return f" ({description})." if description else "."


def _node(path: Sequence[Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    node: Mapping[str, Any] = schema
    for part in path:
        node = node.get("items", {}) if isinstance(part, int) else node.get("properties", {}).get(part, {})
    return node
