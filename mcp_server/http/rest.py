"""Serves the tools to callers that do not use MCP. Each HTTP request becomes an MCP message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from mcp_server.declarations.invalid_arguments import problems_of
from mcp_server.http.choosing import AND, READ_ONLY, TOOLS, TOOLSETS, choice_in, together
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import RejectedError
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest
from mcp_server.http.plain import PRIVATE, Message, Reply, answer, ask, count_in, document_of, query, tagged
from mcp_server.http.problems import problem
from mcp_server.http.rest_sessions import LONGEST_CHOICE, SECONDS
from mcp_server.protocol.json_text import to_json
from refusal import Refusal

M = TypeVar("M", bound=BaseModel)

MOST_TOOLS: Final = 1000
_INITIALIZE: Final = 'Post {"client_id": "<who you are>"}. To select tools, add toolsets, tools or read_only.'
_EXECUTE: Final = 'Post {"tool": "<name>", "arguments": {...}}.'
_ARGUMENTS: Final = "Post the arguments of the tool as a JSON object."

Name = Annotated[str, Field(min_length=1, max_length=100)]


class Execution(BaseModel):
    """The body of a request that calls a tool."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(max_length=100)
    arguments: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return self.tool

    @property
    def call(self) -> Message:
        return _call(self.tool, self.arguments)


class NamedExecution(BaseModel):
    """The body of a request that calls a tool and expects the response in the form of MCP."""

    model_config = ConfigDict(extra="forbid")

    tool_name: str = Field(max_length=100)
    arguments: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return self.tool_name

    @property
    def call(self) -> Message:
        return _call(self.tool_name, self.arguments)


class Beginning(BaseModel):
    """The body of a request that starts a session."""

    model_config = ConfigDict(extra="forbid")

    client_id: str = Field(min_length=1, max_length=200)
    # Reject an empty list, because it could be mistaken for no selection.
    toolsets: list[Name] | None = Field(default=None, min_length=1, max_length=100)
    tools: list[Name] | None = Field(default=None, min_length=1, max_length=100)
    read_only: StrictBool | None = None

    @property
    def choice(self) -> dict[str, str]:
        """The selection, converted to request headers."""
        chosen = {
            TOOLSETS: ",".join(self.toolsets or ()),
            TOOLS: ",".join(self.tools or ()),
            READ_ONLY: "" if self.read_only is None else str(self.read_only).lower(),
        }
        if any(AND in text for text in chosen.values()):
            raise Refusal(f"A name must not contain {AND}.")
        return {name: value for name, value in chosen.items() if value}


async def initialize(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    """Start a session.

    A session is a string. Later requests that contain this string have the same selection of tools.
    """
    chosen = cache(lambda: _chosen(request))
    reply = await ask(endpoint, request, _explained(lambda: Message("ping", choice=chosen()), _INITIALIZE))
    if reply.is_failed:
        return reply.problem()
    caller = reply.requester.caller
    begun = endpoint.sessions.begin(caller, together(endpoint.sessions.choice(caller, request.headers), chosen()))
    document = {"session_id": begun, "status": "initialized", "expires_in": SECONDS}
    return answer(200, document, {**reply.headers, **PRIVATE})


def _chosen(request: HttpRequest) -> Mapping[str, str]:
    choice = together(choice_in(request.headers), _valid(document_of(request.body), Beginning).choice)
    if sum(map(len, choice.values())) > LONGEST_CHOICE:
        raise Refusal(f"The selection exceeds {LONGEST_CHOICE} characters.")
    return choice


async def list_tools(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    """List the tools that the caller can call: all of them, or one page."""
    reply = await ask(endpoint, request, lambda: Message("tools/list"))
    if reply.result is None:
        return reply.problem()
    try:
        document = _page([_listed(tool) for tool in reply.result["tools"]], query(request, "limit", "cursor"))
    except Refusal as refusal:
        return problem(400, str(refusal), reply.headers)
    return tagged(request, to_json(document), {**reply.headers, "content-type": JSON})


async def execute(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    """Call a tool. The response is an MCP result if the body contains `tool_name`, and otherwise only the data."""
    wanted = cache(lambda: _execution(request))
    reply = await ask(endpoint, request, _explained(lambda: wanted().call, _EXECUTE))
    if reply.is_turned_away:
        return reply.problem()
    name = wanted().name
    if isinstance(wanted(), Execution):
        return _plain(reply, name, lambda: {"result": _result_of(reply)})
    return _plain(reply, name, lambda: _as_mcp(reply), _as_mcp(reply))


def _execution(request: HttpRequest) -> Execution | NamedExecution:
    document = document_of(request.body)
    is_named = isinstance(document, dict) and "tool_name" in document
    return _valid(document, NamedExecution) if is_named else _valid(document, Execution)


async def call_tool(endpoint: Endpoint, request: HttpRequest, name: str) -> HttpAnswer:
    """Call the tool with this name. The body contains the arguments."""
    reply = await ask(endpoint, request, _explained(lambda: _call(name, _arguments(request)), _ARGUMENTS))
    return _plain(reply, name, lambda: given if isinstance(given := _result_of(reply), dict) else {"result": given})


def _arguments(request: HttpRequest) -> Mapping[str, Any]:
    arguments = document_of(request.body) if request.body else {}
    if not isinstance(arguments, dict):
        raise Refusal("The body is not a JSON object.")
    return arguments


def _call(name: str, arguments: Mapping[str, Any]) -> Message:
    return Message("tools/call", {"name": name, "arguments": arguments})


def _explained(read: Callable[[], Message], form: str) -> Callable[[], Message]:
    """If the body is invalid, add a description of a valid body to the error."""

    def explained() -> Message:
        try:
            return read()
        except RejectedError:
            raise
        except Refusal as refusal:
            raise Refusal(f"{refusal} {form}") from None

    return explained


def _plain(
    reply: Reply, name: str, given: Callable[[], Mapping[str, Any]], more: Mapping[str, Any] | None = None
) -> HttpAnswer:
    """The response to a call, regardless of its outcome. An error also contains `more`."""
    if reply.is_waiting:
        return reply.waiting(more)
    if not reply.is_failed:
        return answer(200, given(), {**reply.headers, **PRIVATE})
    return reply.problem(400 if reply.requester.view.called(name) else 404, more)


def _as_mcp(reply: Reply) -> Mapping[str, Any]:
    if reply.result is None:
        return {}
    told = {"content": reply.result["content"], "isError": reply.is_failed}
    return told if reply.is_failed or reply.structured is None else {**told, "structuredContent": reply.structured}


def _result_of(reply: Reply) -> Any:
    return reply.text if reply.structured is None else reply.structured


def _listed(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"outputSchema": None, **tool}


def _page(tools: list[Mapping[str, Any]], given: Mapping[str, str]) -> Mapping[str, Any]:
    most, cursor = count_in(given, "limit", MOST_TOOLS), given.get("cursor")
    start = 0 if cursor is None else next((at for at, tool in enumerate(tools) if tool["name"] == cursor), None)
    if start is None:
        raise Refusal("The cursor is no longer valid, because the tools have changed. Start again without a cursor.")
    end = start + most
    return {"tools": tools[start:end], **({"nextCursor": tools[end]["name"]} if end < len(tools) else {})}


def _valid(document: Any, as_a: type[M]) -> M:
    try:
        return as_a.model_validate(document)
    except ValidationError as invalid:
        raise Refusal(" ".join(problems_of(invalid, as_a.model_json_schema()))) from None
