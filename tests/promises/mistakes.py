"""Arguments of a tool that are right, and each that has one mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from mcp_server.declarations.tool import Tool

Json = Any

UNKNOWN: Final = "no_such_parameter"
_TYPES: Final[Mapping[type, str]] = {list: "array", dict: "object", float: "number", str: "string"}
_WRONG: Final[tuple[Json, ...]] = ([{}], {"": 0}, 0.5, "x")
# Texts of the forms that parameters ask for, the plainest first.
_TEXTS: Final = (
    "shop",
    "shop-prod",
    "7",
    "11111111-1111-1111-1111-111111111111",
    "2026-01-02",
    "10.0.0.4",
    "file:///docs/README.md",
    "https://dev.azure.com/acme/Web/_git/shop",
    "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/shop/providers/Microsoft.Web/sites/shop",
    "a" * 64,
    "0123456789abcdef0123456789abcdef01234567",
    "#aabbcc",
    "x" * 200,
)


class Mistake(NamedTuple):
    kind: str
    parameter: str
    arguments: Mapping[str, Json]


def right(tool: Tool) -> dict[str, Json]:
    """Plain values for all that it needs."""
    properties = tool.input_schema["properties"]
    return {name: fitting(properties[name]) for name in tool.input_schema.get("required", [])}


def mistakes(tool: Tool) -> Iterator[Mistake]:
    given, properties = right(tool), tool.input_schema["properties"]
    yield Mistake("unknown", UNKNOWN, {**given, UNKNOWN: 1})
    for name in tool.input_schema.get("required", []):
        yield Mistake("missing", name, {other: value for other, value in given.items() if other != name})
    for name, schema in properties.items():
        yield Mistake("of a wrong type", name, {**given, name: _of_a_wrong_type(schema)})
        for kind, value in _beyond(schema):
            yield Mistake(kind, name, {**given, name: value})


def _of_a_wrong_type(schema: Mapping[str, Json]) -> Json:
    types = {one.get("type") for one in schema.get("anyOf", [schema])}
    # A number may be written as text, and one without a fraction is whole.
    types |= {"number", "string"} if "integer" in types else set()
    return next(value for value in _WRONG if _TYPES[type(value)] not in types)


def _beyond(schema: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """What is more than it may be, or none of what it may be."""
    if "maxLength" in schema:
        yield "too long", "x" * (schema["maxLength"] + 1)
    if "maxItems" in schema:
        yield "too long", [fitting(schema["items"])] * (schema["maxItems"] + 1)
    if "maximum" in schema:
        yield "too large", schema["maximum"] + 1
    if "minimum" in schema:
        yield "too small", schema["minimum"] - 1
    if "enum" in schema and schema.get("type") == "string":
        yield "none of the choices", "no such choice"


def fitting(schema: Mapping[str, Json]) -> Json:
    """A plain value that this schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    return _PLAIN[schema.get("type", "any of")](schema)


def _fits(text: str, schema: Mapping[str, Json]) -> bool:
    is_long_enough = schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text))
    return is_long_enough and re.search(schema.get("pattern", ""), text) is not None


_PLAIN: Final[Mapping[str, Callable[[Mapping[str, Json]], Json]]] = {
    "any of": lambda schema: fitting(schema["anyOf"][0]),
    "object": lambda schema: {name: fitting(schema["properties"][name]) for name in schema.get("required", [])},
    "array": lambda schema: [fitting(schema["items"])] * schema.get("minItems", 0),
    "boolean": lambda _: True,
    "string": lambda schema: next(text for text in _TEXTS if _fits(text, schema)),
    "integer": lambda schema: schema.get("minimum", 1),
    "number": lambda schema: schema.get("minimum", 1),
}
