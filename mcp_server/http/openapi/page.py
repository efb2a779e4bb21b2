"""Serves the OpenAPI document, which contains only the tools that the caller can call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic_core import from_json, to_json

from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest
from mcp_server.http.openapi.document import About, document
from mcp_server.http.openapi.older import older
from mcp_server.http.plain import Message, ask, query, tagged
from mcp_server.http.problems import problem
from mcp_server.view import View
from refusal import Refusal

VERSIONS: Final = ("3.1", "3.0", "2.0")
# The maximum number of cached documents. Building a document is slow, and many callers have the same tools.
_KEPT: Final = 8


async def openapi(endpoint: Endpoint, request: HttpRequest, about: About) -> HttpAnswer:
    """Answer a request for the document, in the OpenAPI version that the request specifies."""
    reply = await ask(endpoint, request, lambda: Message("tools/list"))
    if reply.result is None:
        return reply.problem()
    try:
        version = query(request, "version").get("version", VERSIONS[0])
    except Refusal as refusal:
        return problem(400, str(refusal), reply.headers)
    if version not in VERSIONS:
        return problem(400, f"version must be one of {', '.join(VERSIONS)}.", reply.headers)
    tools = [_described(tool, reply.requester.view) for tool in reply.result["tools"]]
    body = _written(to_json(tools), about, version)
    return tagged(request, body, {**reply.headers, "content-type": JSON})


def _described(listed: Mapping[str, Any], view: View) -> dict[str, Any]:
    """The entry of a tool in the list of tools, with its toolset and the schema of its answer."""
    tool = view.tools[listed["name"]]
    return {"outputSchema": tool.output_schema, **listed, "toolset": tool.toolset}


@lru_cache(_KEPT)
def _written(tools: bytes, about: About, version: str) -> bytes:
    newest = document(from_json(tools), about)
    return to_json(newest if version == VERSIONS[0] else older(newest, version))
