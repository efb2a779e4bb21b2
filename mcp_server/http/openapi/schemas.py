"""Rewrites the schemas of tools for client generators, which do not support some keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Schema = dict[str, Any]
Rewriting = Callable[[Schema], Schema]
# Keywords that contain other schemas: by name, in a list, or directly.
_BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_IN_A_LIST: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_ALONE: Final = ("items", "not", "additionalProperties", "contains", "propertyNames", "if", "then", "else")
_DEFINITIONS: Final = ("$defs", "definitions")
COMPONENTS: Final = "#/components/schemas/"
_NEVER: Final[Schema] = {"not": {}}


def rewritten(schema: Any, rewrite: Rewriting) -> Any:
    """Apply a function to a schema and all schemas inside it, starting with the innermost."""
    if not isinstance(schema, dict):
        return {} if schema is True else dict(_NEVER) if schema is False else schema
    inner = dict(schema)
    for name in _BY_NAME:
        if isinstance(inner.get(name), dict):
            inner[name] = {key: rewritten(one, rewrite) for key, one in inner[name].items()}
    for name in _IN_A_LIST:
        if isinstance(inner.get(name), list):
            inner[name] = [rewritten(one, rewrite) for one in inner[name]]
    for name in _ALONE:
        # Keep a boolean for `additionalProperties`, because all generators support it.
        if isinstance(inner.get(name), dict) or (name != "additionalProperties" and isinstance(inner.get(name), bool)):
            inner[name] = rewritten(inner[name], rewrite)
    return rewrite(inner)


def hoisted(schema: Mapping[str, Any], owner: str) -> tuple[Schema, Schema]:
    """Move the definitions out of a schema, and give them unique names that start with `owner`."""
    definitions: Schema = {}

    def rewrite(one: Schema) -> Schema:
        for name in _DEFINITIONS:
            definitions.update({_component(owner, key): value for key, value in one.pop(name, {}).items()})
        return _with_plain_list(_referring(one, owner))

    whole = rewritten(dict(schema), rewrite)
    whole.pop("$schema", None)
    return whole, definitions


def _component(owner: str, name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", f"{owner}_{name}")


def _referring(schema: Schema, owner: str) -> Schema:
    target = schema.get("$ref")
    if not isinstance(target, str):
        return schema
    place, _, name = target.rpartition("/")
    if place not in {f"#/{one}" for one in _DEFINITIONS}:
        # The definition does not exist, so allow any value. The tool reports invalid values itself.
        return {key: value for key, value in schema.items() if key != "$ref"}
    return {**schema, "$ref": COMPONENTS + _component(owner, name)}


def _with_plain_list(schema: Schema) -> Schema:
    """Convert the schema of a tuple to the schema of a list whose items may match any of the tuple's item schemas."""
    entries = schema.pop("prefixItems", None)
    if not entries:
        return schema
    more = schema.get("items")
    others = [] if more in (None, _NEVER) else [more]
    longest = {"maxItems": len(entries)} if more == _NEVER and "maxItems" not in schema else {}
    return {**schema, **longest, "items": {"anyOf": [*entries, *others]}}
