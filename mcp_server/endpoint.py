"""The HTTP endpoint of the MCP server: from a request to the view it may see, and from there to the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import INVALID_PARAMS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_server.catalog import Catalog, Selection
from mcp_server.exchange import HttpAnswer, HttpRequest, protocol_error, run
from mcp_server.gate import LARGEST_BODY, Gate
from mcp_server.ready import list_request
from mcp_server.view import SCOPE_KEY, View
from refusal import Refusal

EVENT_STREAM: Final = "text/event-stream"
_LONGEST_SELECTION: Final = 8192


class Endpoint:
    """Answers requests one by one; nothing is remembered between two of them but ready answers."""

    def __init__(self, server: Server[Any], catalog: Catalog, gate: Gate) -> None:
        self._catalog = catalog
        self._gate = gate
        self._plain = _sessions(server, json_response=True)
        self._streaming = _sessions(server, json_response=False)
        self._logs = server.get_request_handler("logging/setLevel") is not None
        self._start: asyncio.Task[None] | None = None
        self._started: asyncio.Future[None] | None = None

    async def handle(self, request: HttpRequest, toolsets: str | None = None) -> HttpAnswer:
        """Answer one request; `toolsets` are those that its address names, if it names any."""
        answer = self._gate.refusal(request) or await self._answer(request, toolsets)
        sharing = self._gate.sharing(request)
        return HttpAnswer(answer.status, answer.body, {**answer.headers, **sharing}) if sharing else answer

    async def _answer(self, request: HttpRequest, toolsets: str | None) -> HttpAnswer:
        try:
            view = self._catalog.view(_selection(request.headers, toolsets))
        except Refusal as refusal:
            return protocol_error(400, INVALID_PARAMS, str(refusal))
        wanted = list_request(request)
        if wanted is None:
            return await self._run(request, view)
        ready = wanted.ready_answer(view)
        if ready is not None:
            return ready
        answer = await self._run(request, view)
        wanted.keep(view, answer)
        return answer

    async def _run(self, request: HttpRequest, view: View) -> HttpAnswer:
        await self._running()
        sessions = self._streaming if self._may_be_told_more(request) else self._plain
        return await run(sessions.handle_request, request, {SCOPE_KEY: view})

    def _may_be_told_more(self, request: HttpRequest) -> bool:
        """Whether messages may come before the answer, for which only a stream has room.

        Progress comes where it was asked for; in the handshake versions, a server that logs to clients may any time.
        """
        if EVENT_STREAM not in request.headers.get("accept", ""):
            return False
        return b'"progressToken"' in request.body or (self._logs and _is_handshake_call(request))

    async def _running(self) -> None:
        """Start the SDK's session managers, once per process, however many first requests come at the same time."""
        if self._started is None:
            self._started = asyncio.get_running_loop().create_future()
            self._start = asyncio.create_task(self._serve(self._started))
        await asyncio.shield(self._started)

    async def _serve(self, started: asyncio.Future[None]) -> None:
        # The managers must be left by the task that entered them, so this one stays until the process ends.
        try:
            async with self._plain.run(), self._streaming.run():
                started.set_result(None)
                await asyncio.Event().wait()
        except Exception as failure:  # noqa: BLE001 - handed to everyone who waits for the start
            started.set_exception(failure)


def _sessions(server: Server[Any], *, json_response: bool) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server, json_response=json_response, stateless=True, max_request_body_size=LARGEST_BODY
    )


def _is_handshake_call(request: HttpRequest) -> bool:
    return request.headers.get(MCP_PROTOCOL_VERSION_HEADER) in HANDSHAKE_PROTOCOL_VERSIONS and (
        b'"tools/call"' in request.body
    )


def _selection(headers: Mapping[str, str], toolsets: str | None) -> Selection:
    path = _names(toolsets)
    if toolsets is not None and path is None:
        raise Refusal("The address names no toolset.")
    return Selection(
        path=path,
        toolsets=_names(headers.get("x-mcp-toolsets")),
        tools=_names(headers.get("x-mcp-tools")),
        read_only=_truth("X-MCP-Readonly", headers.get("x-mcp-readonly")),
    )


def _names(text: str | None) -> tuple[str, ...] | None:
    """Split a list of names. Order and repetition do not matter, so that equal selections are one."""
    if not text:
        return None
    if len(text) > _LONGEST_SELECTION:
        raise Refusal(f"A selection of toolsets or tools is longer than {_LONGEST_SELECTION} characters.")
    return tuple(sorted({name for entry in text.split(",") if (name := entry.strip())})) or None


def _truth(name: str, text: str | None) -> bool:
    match (text or "false").strip().lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
    raise Refusal(f"{name} must be true or false.")
