"""The tools over plain HTTP, for callers that do not speak MCP: each request becomes one of MCP and takes its way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json, to_json

from identity.toolset_names import ALL
from mcp_server.bounds import excess, excess_of_text
from mcp_server.declarations.invalid_arguments import problems_of
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest
from mcp_server.visit import Way
from refusal import Refusal

# In this version a request needs no envelope of its own.
_HEADERS: Final = {MCP_PROTOCOL_VERSION_HEADER: LATEST_HANDSHAKE_VERSION, "accept": JSON, "content-type": JSON}
_REFUSED: Final = 422
_FORM: Final = 'Post {"tool": "<name>", "arguments": {...}}.'


class Execution(BaseModel):
    """What is posted to have a tool called."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(max_length=100)
    arguments: dict[str, Any] = {}


async def list_tools(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    """Return all tools that the caller may call."""
    answer = await endpoint.handle(_message(request, "tools/list", {}), ALL, Way.REST)
    return _plain(answer, lambda result: (200, {"tools": result["tools"]}))


async def execute(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    """Call one tool, and answer what it gives."""
    if len(request.body) > endpoint.largest_body:
        return _answer(413, {"error": f"The body is larger than {endpoint.largest_body} bytes."})
    try:
        wanted = Execution.model_validate(_document(request.body))
    except Refusal as refusal:
        return _answer(400, {"error": f"{refusal} {_FORM}"})
    except ValidationError as invalid:
        problems = " ".join(problems_of(invalid, Execution.model_json_schema()))
        return _answer(400, {"error": f"{problems} {_FORM}"})
    params = {"name": wanted.tool, "arguments": wanted.arguments}
    return _plain(await endpoint.handle(_message(request, "tools/call", params), ALL, Way.REST), _given)


def _document(body: bytes) -> Any:
    """What was posted, if it is small enough to say what is wrong with it.

    Raises:
        Refusal: It is not JSON, or there is too much in it.
    """
    if too_much := excess_of_text(body):
        raise Refusal(too_much)
    try:
        document = from_json(body)
    except ValueError:
        raise Refusal("The body is not JSON.") from None
    if too_much := excess(document):
        raise Refusal(too_much)
    return document


def _message(request: HttpRequest, method: str, params: Mapping[str, Any]) -> HttpRequest:
    body = to_json({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    headers = {**request.headers, **_HEADERS, "content-length": str(len(body))}
    return replace(request, method="POST", body=body, headers=headers)


def _given(result: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
    """What a tool gave. A refusal is told by its status, too, since to try the same again is no use."""
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    if result.get("isError"):
        return _REFUSED, {"error": text}
    structured = result.get("structuredContent")
    return 200, {"result": text if structured is None else structured}


def _plain(answer: HttpAnswer, given: Callable[[Mapping[str, Any]], tuple[int, Mapping[str, Any]]]) -> HttpAnswer:
    """The answer without what belongs to MCP; what turned the caller away keeps its status and headers."""
    message = json.loads(answer.body)
    if "result" in message:
        return _answer(*given(message["result"]), {**answer.headers, "cache-control": "private, no-store"})
    status = 400 if answer.status == 200 else answer.status
    return _answer(status, {"error": message["error"]["message"]}, answer.headers)


def _answer(status: int, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpAnswer:
    return HttpAnswer(status, to_json(document), {**(headers or {}), "content-type": JSON})
