"""Describes the tools in an OpenAPI document. Each tool is an operation, and its arguments are the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mcp_server.http.messages import JSON
from mcp_server.http.openapi.schemas import hoisted
from mcp_server.http.problems import PROBLEM

Document = dict[str, Any]
VERSION: Final = "3.1.0"
_PROBLEM: Final[Document] = {
    "type": "object",
    "description": "The error, as problem details (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was wrong, which values are valid, and what to do next."},
    },
    "required": ["type", "title", "status", "detail"],
}
_WAITING: Final[Document] = {
    "type": "object",
    "description": "Nothing was done yet, because the change must be approved. After approval, send"
    " the same request again to apply the change once.",
    "properties": {
        "detail": {"type": "string", "description": "The effect of the change, and who must approve it and where."},
        "change": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "state": {"type": "string"},
                "asks": {"type": "string"},
                "address": {"type": "string", "description": "The page where the change is approved or denied."},
            },
        },
    },
    "required": ["detail", "change"],
}
_GIVEN: Final[Document] = {"type": "object", "description": "The tool's answer.", "additionalProperties": True}
_RESPONSES: Final[Document] = {
    "Given": {"description": "The tool's answer.", "schema": "Given", "content": JSON},
    "Waiting": {"description": "Approval is required first.", "schema": "Waiting", "content": JSON},
    "Problem": {"description": "The call failed.", "schema": "Problem", "content": PROBLEM},
}
# The status codes of errors. All errors have the same kind of body.
_FAILURES: Final = ("400", "401", "403", "404", "413", "422", "429", "500", "504", "default")
_SIGN_IN: Final[Mapping[str, Document]] = {
    "oauth": {"signIn": {"type": "http", "scheme": "bearer"}},
    "platform": {"signIn": {"type": "http", "scheme": "bearer"}},
    "key": {"key": {"type": "apiKey", "in": "header", "name": "x-functions-key"}},
    "none": {},
}


@dataclass(frozen=True, slots=True)
class About:
    """What a document says about the server: its URL, how to sign in, a title and a version."""

    origin: str
    sign_in: str
    title: str
    version: str


def document(tools: Sequence[Mapping[str, Any]], about: About) -> Document:
    """An OpenAPI 3.1 document for these tools. Each tool must contain its toolset and the schema of its answer."""
    schemas: Document = {"Given": _GIVEN, "Waiting": _WAITING, "Problem": _PROBLEM}
    paths = {f"/tools/{tool['name']}": {"post": _operation(tool, schemas)} for tool in tools}
    typed = {
        _answer_schema(tool): {**_RESPONSES["Given"], "schema": _answer_schema(tool)}
        for tool in tools
        if tool["outputSchema"]
    }
    schemes = _SIGN_IN[about.sign_in]
    signing = {"securitySchemes": schemes} if schemes else {}
    return {
        "openapi": VERSION,
        "info": {"title": about.title, "version": about.version, "description": "The tools that you can call."},
        "servers": [{"url": about.origin}],
        "paths": paths,
        "components": {"schemas": schemas, "responses": _responses({**_RESPONSES, **typed}), **signing},
        "security": [{name: []} for name in schemes],
        "tags": [{"name": toolset} for toolset in dict.fromkeys(tool["toolset"] for tool in tools)],
    }


def _operation(tool: Mapping[str, Any], schemas: Document) -> Document:
    name = tool["name"]
    schema, definitions = hoisted(tool["inputSchema"], name)
    schemas |= definitions
    if tool["outputSchema"]:
        given, definitions = hoisted(tool["outputSchema"], _answer_schema(tool))
        schemas |= {_answer_schema(tool): given, **definitions}
    return {
        "operationId": name,
        "tags": [tool["toolset"]],
        "summary": tool.get("title") or name,
        "description": tool.get("description") or name,
        "requestBody": {"required": bool(schema.get("required")), "content": {JSON: {"schema": schema}}},
        "responses": {
            "200": _referred(_answer_schema(tool) if tool["outputSchema"] else "Given"),
            "202": _referred("Waiting"),
            **{status: _referred("Problem") for status in _FAILURES},
        },
    }


def _referred(name: str) -> Document:
    return {"$ref": f"#/components/responses/{name}"}


def _answer_schema(tool: Mapping[str, Any]) -> str:
    """The name of the schema for a tool's answer."""
    return f"{tool['name']}_given"


def _responses(responses: Document) -> Document:
    return {
        name: {
            "description": one["description"],
            "content": {one["content"]: {"schema": {"$ref": f"#/components/schemas/{one['schema']}"}}},
        }
        for name, one in responses.items()
    }
