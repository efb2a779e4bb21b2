"""Makes JSON Schemas compact. Compact schemas contain only what a model needs to choose the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

# The values of these keywords are objects whose keys are arbitrary names. The key `title` in such an object is not the
# keyword `title`, so it must not be removed.
_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_VERBATIM: Final = frozenset({"default", "const", "enum", "examples"})
_LOCAL: Final = "#/$defs/"
_NONE_OPEN: Final[AbstractSet[str]] = frozenset()


def slim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Make a schema compact: remove titles, inline definitions, and remove the type null from optional parameters."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    slimmer = _Slimmer(definitions)
    slimmed: dict[str, Any] = slimmer.slim({key: value for key, value in schema.items() if key != "$defs"})
    recursive = {name for name in definitions if _mentions(slimmed, name)}
    if recursive:
        slimmed["$defs"] = {name: slimmer.slim(definitions[name], recursive) for name in sorted(recursive)}
    return slimmed


@dataclass(frozen=True, slots=True)
class _Slimmer:
    definitions: Mapping[str, Any]

    def slim(self, node: Any, within: AbstractSet[str] = _NONE_OPEN) -> Any:
        """Make a node compact. `within` names the surrounding definitions, which must not be inlined again."""
        if isinstance(node, list):
            return [self.slim(entry, within) for entry in node]
        if not isinstance(node, Mapping):
            return node
        node = _without_null(node)
        name = str(node.get("$ref", "")).removeprefix(_LOCAL)
        if name in self.definitions and name not in within:
            siblings = {key: value for key, value in node.items() if key != "$ref"}
            return self.slim({**self.definitions[name], **siblings}, within | {name})
        kept = {key: value for key, value in node.items() if not (key == "title" and isinstance(value, str))}
        return {key: self._keyword(key, value, within) for key, value in kept.items()}

    def _keyword(self, key: str, value: Any, within: AbstractSet[str]) -> Any:
        if key in _VERBATIM:
            return value
        if key in _NAMED:
            return {name: self.slim(schema, within) for name, schema in value.items()}
        return self.slim(value, within)


def _without_null(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove null from the types of an optional parameter.

    Models then leave the parameter out instead of passing null, but null is still accepted.
    """
    options = node.get("anyOf", [])
    kept = [option for option in options if option != {"type": "null"}]
    if len(kept) == len(options) or len(kept) != 1 or node.get("default", ...) is not None:
        return node
    rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
    return {**kept[0], **rest}


def _mentions(node: Any, name: str) -> bool:
    if isinstance(node, Mapping):
        return node.get("$ref") == _LOCAL + name or any(_mentions(value, name) for value in node.values())
    return isinstance(node, list) and any(_mentions(entry, name) for entry in node)
