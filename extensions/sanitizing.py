"""Sanitizes the definitions of an extension's tools: limits the size of each definition, cleans its texts, and marks
the definition as foreign.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from pydantic_core import to_json

from invisible import without_invisible
from mcp_server.bounds import excess
from mcp_server.declarations.tool import CONFIRM

LONGEST_DESCRIPTION: Final = 1_000
_LONGEST_TITLE: Final = 100
_LONGEST_NAME: Final = 64
_LARGEST_SCHEMA: Final = 24_000
_OPEN: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}
# Any whitespace except line breaks.
_SPACE: Final = re.compile(r"[^\S\n]")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]+")
_COUNTS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
_ROUTING: Final = "x-mcp-header"
# An extension's parameter that has the same name as this server's approval parameter gets this name instead.
RENAMED: Final = f"{CONFIRM}_of_tool"


def pinned(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pinned parts of a tool definition."""
    return {name: said[name] for name in _COUNTS if name in said}


def digest(said: Mapping[str, Any]) -> str:
    """Return a digest of the pinned parts of a tool definition."""
    return hashlib.sha256(to_json(_sorted(pinned(said)))).hexdigest()


def name_of(extension: str, tool: str) -> str:
    """Return the name by which this server offers an extension's tool.

    No conflict with this server's own tools is possible, because their names never start with the name of an extension.
    """
    prefix = f"{extension.replace('-', '_')}_"
    name = f"{prefix}{_UNFIT.sub('_', tool)}"
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 9]}_{hashlib.sha256(tool.encode()).hexdigest()[:8]}"


def readable(text: object, longest: int) -> str:
    """Remove invisible characters, which could hide instructions to a model, and truncate the text."""
    seen = _SPACE.sub(" ", without_invisible(str(text)[: 4 * longest]))
    return seen if len(seen) <= longest else f"{seen[:longest]} …"


def description_of(extension: str, said: Mapping[str, Any]) -> str:
    text = readable(said.get("description") or said.get("title") or said["name"], LONGEST_DESCRIPTION).strip()
    return marked(extension, text)


def marked(extension: str, text: str) -> str:
    """Mark a text from an extension, so that nobody mistakes it for a text of this server."""
    return f"From the server of {extension!r}: {text}"


def spoken_name(said: Mapping[str, Any]) -> str:
    """Convert a tool name such as getSum or get-sum to snake_case, which this server's own tool names use."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", said["name"])
    return _UNFIT.sub("_", parted.replace("-", "_")).lower()


def title_of(extension: str, said: Mapping[str, Any]) -> str:
    return f"{extension}: {readable(said.get('title') or said['name'], _LONGEST_TITLE)}"


def is_of_objects(schema: Any) -> TypeGuard[dict[str, Any]]:
    """Check whether a schema describes an object, as required for the arguments of a tool."""
    return isinstance(schema, dict) and schema.get("type") == "object"


def schema_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's input schema. If it is invalid or too large, return a schema that accepts all arguments."""
    schema = said.get("inputSchema")
    if not is_of_objects(schema) or excess(schema):
        return dict(_OPEN)
    if not isinstance(properties := schema.get("properties", {}), dict) or len(to_json(schema)) > _LARGEST_SCHEMA:
        return dict(_OPEN)
    shown: dict[str, Any] = _shown({**schema, "properties": {_ours(name): one for name, one in properties.items()}})
    if isinstance(required := shown.get("required"), list):
        shown["required"] = [_ours(name) for name in required if isinstance(name, str)]
    return shown


def theirs(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the arguments to the parameter names that the extension's server uses."""
    return {CONFIRM if name == RENAMED else name: value for name, value in arguments.items()}


def _ours(name: str) -> str:
    return RENAMED if name == CONFIRM else name


def _shown(node: Any) -> Any:
    if isinstance(node, dict):
        return {readable(name, 200): _shown(value) for name, value in node.items() if name != _ROUTING}
    if isinstance(node, list):
        return [_shown(value) for value in node]
    return readable(node, LONGEST_DESCRIPTION) if isinstance(node, str) else node


def _sorted(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {name: _sorted(node[name]) for name in sorted(node)}
    return [_sorted(value) for value in node] if isinstance(node, list) else node
