"""Descriptions in older versions of OpenAPI: what a version cannot express is said in its own way, or left out."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.http.openapi.older import older

JSON = "application/json"
PROBLEM = "#/components/responses/Problem"


def document(schema: dict[str, Any]) -> dict[str, Any]:
    """A document in version 3.1 with one operation, whose input is this schema."""
    content = {JSON: {"schema": schema}}
    operation = {
        "operationId": "bake",
        "requestBody": {"required": True, "content": content},
        "responses": {"400": {"$ref": PROBLEM}},
    }
    problem = {"description": "No.", "content": {JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Kitchen", "version": "1"},
        "servers": [{"url": "https://kitchen.example.com"}],
        "paths": {"/bake": {"post": operation}},
        "components": {
            "schemas": {"Problem": {"type": "object"}},
            "responses": {"Problem": problem},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-key"}, "token": {"type": "http"}},
        },
        "security": [{"key": []}],
        "tags": [{"name": "kitchen"}],
    }


@pytest.mark.parametrize(
    ("schema", "in_3_0", "in_2_0"),
    [
        ({"const": 7}, {"enum": [7]}, {"enum": [7]}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}, {"type": "string", "x-nullable": True}),
        (
            {"type": ["string", "array"]},
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]},
            {},
        ),
        ({"type": "null"}, {"nullable": True, "enum": [None]}, {"x-nullable": True, "enum": [None]}),
        (
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5},
            {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 9.5, "exclusiveMaximum": True},
            {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 9.5, "exclusiveMaximum": True},
        ),
        (
            {"type": "number", "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": True},
        ),
        ({"type": "array"}, {"type": "array", "items": {}}, {"type": "array", "items": {}}),
        (
            {"anyOf": [{"type": "integer"}, {"enum": [None]}]},
            {"type": "integer", "nullable": True},
            {"type": "integer", "x-nullable": True},
        ),
        (
            {"$ref": "#/components/schemas/Problem", "description": "A problem."},
            {"allOf": [{"$ref": "#/components/schemas/Problem"}], "description": "A problem."},
            {"allOf": [{"$ref": "#/definitions/Problem"}], "description": "A problem."},
        ),
        (
            {"$ref": "#/components/schemas/Problem"},
            {"$ref": "#/components/schemas/Problem"},
            {"$ref": "#/definitions/Problem"},
        ),
        ({"type": "string", "contentEncoding": "base64"}, {"type": "string"}, {"type": "string"}),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_schema_says_the_same_in_each_version(
    schema: dict[str, Any], in_3_0: dict[str, Any], in_2_0: dict[str, Any]
) -> None:
    newer = older(document(schema), "3.0")["paths"]["/bake"]["post"]
    assert newer["requestBody"] == {"required": True, "content": {JSON: {"schema": in_3_0}}}
    (taken,) = older(document(schema), "2.0")["paths"]["/bake"]["post"]["parameters"]
    assert taken == {"name": "arguments", "in": "body", "required": True, "schema": in_2_0}


def test_version_2_0_has_its_own_places() -> None:
    made = older(document({"type": "object"}), "2.0")
    assert (made["swagger"], made["host"], made["basePath"], made["schemes"]) == (
        "2.0",
        "kitchen.example.com",
        "/",
        ["https"],
    )
    assert made["definitions"] == {"Problem": {"type": "object"}}
    assert made["responses"] == {"Problem": {"description": "No.", "schema": {"$ref": "#/definitions/Problem"}}}
    assert made["paths"]["/bake"]["post"]["responses"] == {"400": {"$ref": "#/responses/Problem"}}
    assert made["securityDefinitions"] == {
        "key": {"type": "apiKey", "in": "header", "name": "x-key"},
        "token": {"type": "apiKey", "in": "header", "name": "Authorization"},
    }
