"""Creates the SDK's server, whose methods call our own methods."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import mcp_types
from mcp.server import CacheHint, Server
from mcp.server.context import CallNext, HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from pydantic import Field, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from mcp_server.bounds import bounded
from mcp_server.calls.long_work import CANCEL, EXTENSION, GET, UPDATE
from mcp_server.failures import report_failure
from mcp_server.http.kept_open import KeptOpen
from mcp_server.methods.answers import LIST_TTL_MS, Answer
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.extensions import APPS
from mcp_server.protocol.names import INTERNAL_ERROR
from mcp_server.protocol.results import CallResult, InputRequired, Json
from mcp_server.sdk.exchange import SdkContext, context_of, exchange_of, view_being_answered
from mcp_server.server import McpServer

_DISCOVER: Final = "server/discover"


class OfATask(mcp_types.RequestParams):
    task_id: str = Field(alias="taskId", max_length=200)


class Responses(OfATask):
    input_responses: dict[str, Any] = Field(alias="inputResponses")


# The methods for tasks, and the types of their parameters. These methods are added to the SDK's server after its
# creation, because the SDK announces a capability for each method that is passed at creation.
_TASKS: Final[Mapping[str, type[mcp_types.RequestParams]]] = {GET: OfATask, UPDATE: Responses, CANCEL: OfATask}


def sdk_server_of(ours: McpServer, services: KeptOpen[object], boundary: RequestStateBoundary) -> Server[Any]:
    info = ours.info

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[object]:
        yield await services.get()

    server: Server[Any] = Server(
        info.name,
        title=info.title,
        version=info.version,
        instructions=info.all_instructions,
        lifespan=lifespan,
        cache_hints={_DISCOVER: CacheHint(ttl_ms=LIST_TTL_MS, scope="public")},
        get_tool_input_schema=_schema_with_headers,
        on_list_tools=_answering(ours, "tools/list"),
        on_call_tool=_answering(ours, "tools/call"),
        on_list_resources=_answering(ours, "resources/list"),
        on_list_resource_templates=_answering(ours, "resources/templates/list"),
        on_read_resource=_answering(ours, "resources/read"),
        on_list_prompts=_answering(ours, "prompts/list"),
        on_get_prompt=_answering(ours, "prompts/get"),
        on_completion=_answering(ours, "completion/complete"),
    )
    server.extensions = {APPS: {}}
    for method, params in _TASKS.items():
        server.add_request_handler(method, params, _answering(ours, method))
    # Replace the SDK's tracing middleware, because it would record the content of requests.
    server.middleware = [_tell_defects, _announced, boundary]
    return server


def boundary_of(ours: McpServer) -> RequestStateBoundary:
    """The SDK's middleware that encrypts and decrypts the state that clients store."""
    security = RequestStateSecurity(keys=ours.keys or [os.urandom(32)], bind_principal=_principal)
    return RequestStateBoundary(security, default_audience=ours.info.name)


def _schema_with_headers(name: str) -> Mapping[str, Any] | None:
    """The schema of this tool if clients must repeat some of its arguments in headers, otherwise None."""
    tools = view_being_answered().called(name)
    return tools[0].input_schema if len(tools) == 1 and tools[0].takes_headers else None


def _principal(ctx: SdkContext) -> str:
    return json.dumps(exchange_of(ctx).visit.caller.principal)


def _answering(ours: McpServer, method: str) -> Callable[[SdkContext, Any], Awaitable[Any]]:
    """A handler for the SDK's server. The handler calls our own method with the original parameters."""

    async def handle(ctx: SdkContext, _params: Any) -> Any:
        try:
            answer = await ours.answer(method, ctx.params or {}, context_of(ctx))
        except ProtocolError as error:
            exchange_of(ctx).ending = error.ending
            raise MCPError(error.code, error.message, error.data) from error.__cause__
        if isinstance(answer, CallResult):
            exchange_of(ctx).ending = answer.ending
        return _document(answer)

    return handle


def _document(answer: Answer) -> Json:
    """Convert a result to plain JSON, because the SDK would serialize some types differently."""
    document = answer.document if isinstance(answer, CallResult | InputRequired) else answer
    document = {"resultType": "complete", **document}
    try:
        plain: Json = from_json(to_json(document, inf_nan_mode="null"))
    except PydanticSerializationError:
        return document
    return plain


async def _tell_defects(ctx: SdkContext, call_next: CallNext) -> HandlerResult:
    """Replace unexpected exceptions with an error that contains no details."""
    try:
        return await call_next(ctx)
    except MCPError as refused:
        raise MCPError(refused.code, bounded(refused.error.message), refused.error.data) from refused.__cause__
    except ValidationError:
        raise
    except Exception as failure:
        raise MCPError(INTERNAL_ERROR, report_failure("The request", failure)) from failure


async def _announced(ctx: SdkContext, call_next: CallNext) -> HandlerResult:
    """If this server and the client's protocol version support tasks, announce this to the client."""
    result = await call_next(ctx)
    if ctx.method == _DISCOVER and isinstance(result, dict) and exchange_of(ctx).visit.has_tasks:
        result["capabilities"].setdefault("extensions", {})[EXTENSION] = {}
    return result
