"""Converts an OpenAPI document to the older versions that some programs need: 3.0, and 2.0 (Swagger)."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from mcp_server.http.messages import JSON
from mcp_server.http.openapi.schemas import Rewriting, Schema, rewritten
from mcp_server.http.problems import PROBLEM

Document = dict[str, Any]
_OF_BOTH: Final = frozenset(
    "$ref title description type format default enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    " minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required properties items"
    " additionalProperties allOf".split()
)
_OF_3_0: Final = _OF_BOTH | {"anyOf", "oneOf", "not", "nullable"}
_OF_2_0: Final = _OF_BOTH | {"x-nullable"}
_CHOICES: Final = ("anyOf", "oneOf")


def older(document: Document, version: str) -> Document:
    """Convert an OpenAPI 3.1 document to this older version.

    Constraints that the older version cannot express are left out: tools check their input anyway.
    """
    return _in_2_0(document) if version == "2.0" else _in_3_0(document, _schema_in_3_0)


def _in_3_0(document: Document, rewrite: Rewriting) -> Document:
    components = document["components"]
    schemas = {name: rewritten(one, rewrite) for name, one in components["schemas"].items()}
    paths = {path: {"post": _with_body(item["post"], rewrite)} for path, item in document["paths"].items()}
    return {**document, "openapi": "3.0.3", "paths": paths, "components": {**components, "schemas": schemas}}


def _with_body(operation: Document, rewrite: Rewriting) -> Document:
    body = operation["requestBody"]
    schema = rewritten(body["content"][JSON]["schema"], rewrite)
    return {**operation, "requestBody": {**body, "content": {JSON: {"schema": schema}}}}


def _schema_in_3_0(schema: Schema) -> Schema:
    changed = _bounded(_without_null(_constant(schema)))
    kept = {name: value for name, value in changed.items() if name in _OF_3_0}
    if "$ref" in kept and len(kept) > 1:
        # In version 3.0, all keys next to a reference are ignored, so move the reference into `allOf`.
        return {"allOf": [{"$ref": kept.pop("$ref")}], **kept}
    return _with_items(kept)


def _constant(schema: Schema) -> Schema:
    return {**schema, "enum": [schema["const"]]} if "const" in schema else schema


def _without_null(schema: Schema) -> Schema:
    """Remove null from the types, and set `nullable` instead."""
    types = schema.get("type")
    rest = {name: value for name, value in schema.items() if name != "type"}
    if isinstance(types, list):
        return {**rest, **_of_types(types)}
    if types == "null":
        return {**rest, "nullable": True, "enum": [None]}
    return _without_null_choice(schema)


def _of_types(types: list[str]) -> Schema:
    others = [one for one in types if one != "null"]
    one_type = {"type": others[0]} if len(others) == 1 else {}
    several = {"anyOf": [_with_items({"type": one}) for one in others]} if len(others) > 1 else {}
    return {**one_type, **several, **({"nullable": True} if "null" in types else {})}


def _without_null_choice(schema: Schema) -> Schema:
    for name in _CHOICES:
        ways = schema.get(name)
        if isinstance(ways, list) and (left := [one for one in ways if not _is_null(one)]) != ways:
            rest = {key: value for key, value in schema.items() if key != name}
            only = left[0] if len(left) == 1 and "$ref" not in left[0] else {name: left} if left else {}
            return {**only, **rest, "nullable": True}
    return schema


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("enum") == [None]


def _bounded(schema: Schema) -> Schema:
    """Replace each exclusive limit with a limit and a boolean that says that the limit is exclusive."""
    changed = dict(schema)
    for name, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        value = changed.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            changed |= {bound: value, name: True}
    return changed


def _with_items(schema: Schema) -> Schema:
    return {**schema, "items": {}} if schema.get("type") == "array" and "items" not in schema else schema


def _in_2_0(document: Document) -> Document:
    newer = _in_3_0(document, lambda schema: _schema_in_2_0(_schema_in_3_0(schema)))
    components, server = newer["components"], urlsplit(newer["servers"][0]["url"])
    return {
        "swagger": "2.0",
        "info": newer["info"],
        "host": server.netloc,
        "basePath": "/",
        "schemes": [server.scheme],
        "consumes": [JSON],
        "produces": [JSON, PROBLEM],
        "paths": {path: {"post": _operation_in_2_0(item["post"])} for path, item in newer["paths"].items()},
        "definitions": components["schemas"],
        "responses": {name: _response_in_2_0(one) for name, one in components["responses"].items()},
        "securityDefinitions": {name: _scheme_in_2_0(one) for name, one in _schemes(components).items()},
        "security": newer["security"],
        "tags": newer["tags"],
    }


def _schema_in_2_0(schema: Schema) -> Schema:
    kept = {name: value for name, value in schema.items() if name in _OF_2_0}
    if schema.get("nullable"):
        kept["x-nullable"] = True
    if "$ref" in kept:
        kept["$ref"] = _moved(kept["$ref"])
    if "allOf" in kept:  # the conversion to 3.0 moves references into this list
        kept["allOf"] = [_schema_in_2_0(one) for one in kept["allOf"]]
    return kept


def _operation_in_2_0(operation: Document) -> Document:
    body = operation["requestBody"]
    taken = {"name": "arguments", "in": "body", "required": body["required"], "schema": body["content"][JSON]["schema"]}
    rest = {name: value for name, value in operation.items() if name != "requestBody"}
    responses = {status: {"$ref": _moved(one["$ref"])} for status, one in operation["responses"].items()}
    return {**rest, "parameters": [taken], "responses": responses}


def _response_in_2_0(response: Document) -> Document:
    [content] = response["content"].values()
    return {"description": response["description"], "schema": {"$ref": _moved(content["schema"]["$ref"])}}


def _moved(reference: str) -> str:
    return reference.replace("#/components/schemas/", "#/definitions/").replace("#/components/", "#/")


def _schemes(components: Document) -> Document:
    schemes: Document = components.get("securitySchemes", {})
    return schemes


def _scheme_in_2_0(scheme: Document) -> Document:
    """Replace a bearer token with an API key in a header, because version 2.0 does not support bearer tokens."""
    return scheme if scheme["type"] == "apiKey" else {"type": "apiKey", "in": "header", "name": "Authorization"}
