"""Lets the SDK parse a message and write the response to it. The server's own methods handle the parsed message."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from mcp_server.http.adapter import Answered
from mcp_server.http.kept_open import KeptOpen
from mcp_server.http.messages import EVENT_STREAM, HttpRequest, run
from mcp_server.http.wire.plain_request import PlainRequest
from mcp_server.protocol.names import HANDSHAKE_VERSIONS, VERSION_HEADER
from mcp_server.protocol.results import InputRequired, Json
from mcp_server.sdk.exchange import SCOPE_KEY, SdkExchange, being_answered
from mcp_server.sdk.protocol_mistakes import in_our_words
from mcp_server.sdk.sealing import sealed, shaped
from mcp_server.sdk.server import boundary_of, sdk_server_of
from mcp_server.server import McpServer
from mcp_server.visit import Context, Visit


@dataclass(frozen=True, slots=True)
class _Managers:
    """Two session managers from the SDK.

    `plain` responds with a JSON document, and `streaming` with a stream of events.
    """

    plain: StreamableHTTPSessionManager
    streaming: StreamableHTTPSessionManager


class SdkAdapter:
    def __init__(self, mcp_server: McpServer, services: KeptOpen[object]) -> None:
        self._boundary = boundary_of(mcp_server)
        self.server = sdk_server_of(mcp_server, services, self._boundary)
        if mcp_server.extend_sdk:
            mcp_server.extend_sdk(self.server)
        self._managers = KeptOpen(self._running)

    async def answer(self, request: HttpRequest, visit: Visit) -> Answered:
        managers = await self._managers.get()
        manager = managers.streaming if self._may_be_told_more(request) else managers.plain
        exchange = SdkExchange(visit)
        with being_answered(visit):
            answer = await run(manager.handle_request, request, {SCOPE_KEY: exchange})
        return Answered(in_our_words(request, answer), exchange.ending)

    async def sealed(self, plain: PlainRequest, question: InputRequired, context: Context) -> Json:
        """A question with encrypted state. The state is valid only for this caller and call."""
        return await sealed(self._boundary, plain, question, context)

    def shaped(self, plain: PlainRequest, document: Json) -> Json:
        """A result from another server, without parts that do not exist in the request's protocol version."""
        return shaped(plain, document)

    def _may_be_told_more(self, request: HttpRequest) -> bool:
        """Whether the response must be a stream, because the server may send messages before the result.

        Progress is sent only if the client requests it. In versions with a handshake, a server with logging may send
        messages at any time.
        """
        if EVENT_STREAM not in request.headers.get("accept", ""):
            return False
        return b'"progressToken"' in request.body or (self._logs and _is_handshake_call(request))

    @property
    def _logs(self) -> bool:
        return self.server.get_request_handler("logging/setLevel") is not None

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[_Managers]:
        managers = _Managers(_manager(self.server, is_json=True), _manager(self.server, is_json=False))
        async with managers.plain.run(), managers.streaming.run():
            yield managers


def _manager(server: Server[object], *, is_json: bool) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(server, json_response=is_json, stateless=True)


def _is_handshake_call(request: HttpRequest) -> bool:
    return request.headers.get(VERSION_HEADER) in HANDSHAKE_VERSIONS and b'"tools/call"' in request.body
