"""Answers common requests without the SDK, and passes all other requests to the SDK."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from mcp_server.calls.long_work import EXTENSION
from mcp_server.context import CallContext
from mcp_server.http.adapter import Answered
from mcp_server.http.kept_open import KeptOpen
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.wire.plain_request import PlainRequest, plain_request
from mcp_server.http.wire.ready_lists import keep, ready_answer
from mcp_server.http.wire.writing import accepted, error_answer, result_answer
from mcp_server.methods.answers import LIST_TTL_MS
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.extensions import APPS
from mcp_server.protocol.names import (
    HANDSHAKE_VERSIONS,
    INTERNAL_ERROR,
    LATEST_HANDSHAKE_VERSION,
    MODERN_VERSIONS,
)
from mcp_server.protocol.results import CallResult, InputRequired, Json
from mcp_server.server import McpServer
from mcp_server.visit import Context, Visit


class Shaping(Protocol):
    """Response conversions that only the SDK can perform.

    The SDK is imported when a response needs one of these conversions.
    """

    async def sealed(self, plain: PlainRequest, question: InputRequired, context: Context, /) -> Json: ...

    def shaped(self, plain: PlainRequest, document: Json, /) -> Json: ...


@dataclass(frozen=True, slots=True)
class WireAdapter:
    server: McpServer
    services: KeptOpen[object]
    sdk: Callable[[], Shaping]

    async def answer(self, request: HttpRequest, visit: Visit) -> Answered | None:
        plain = plain_request(request)
        if plain is None or not self._reads(plain, visit):
            return None
        if plain.id is None:
            return Answered(accepted(plain))
        if ready := ready_answer(plain, visit.view):
            return Answered(ready)
        return await self._answered(plain, visit)

    def _reads(self, plain: PlainRequest, visit: Visit) -> bool:
        """Whether this request can be answered without the SDK.

        Two kinds of requests require the SDK: requests from older clients if the server extends the SDK for them, and
        calls to tools whose arguments clients must repeat in headers.
        """
        if not plain.client.is_modern:
            return self.server.extend_sdk is None
        if plain.method != "tools/call":
            return True
        return not any(tool.takes_headers for tool in visit.view.called(plain.params["name"]))

    async def _answered(self, plain: PlainRequest, visit: Visit) -> Answered:
        try:
            answer = await self._result(plain, visit)
        except ProtocolError as error:
            return Answered(error_answer(plain, error), error.ending)
        if isinstance(answer, CallResult):
            return Answered(self._written(plain, answer), answer.ending)
        written = self._written(plain, answer)
        keep(plain, visit.view, written)
        return Answered(written)

    def _written(self, plain: PlainRequest, answer: CallResult | Json) -> HttpAnswer:
        return result_answer(plain, answer, self.server.info.document)

    async def _result(self, plain: PlainRequest, visit: Visit) -> CallResult | Json:
        if plain.method in _OF_CONNECTIONS:
            return _OF_CONNECTIONS[plain.method](self.server, plain, visit)
        context = CallContext(visit, await self.services.get(), plain.client)
        answer = await self.server.answer(plain.method, plain.params, context)
        if isinstance(answer, InputRequired):
            return await self._question(plain, answer, context)
        if isinstance(answer, CallResult) and answer.is_foreign:
            shaped = self.sdk().shaped(plain, answer.document)
            return replace(CallResult.of(shaped), ending=answer.ending)
        return answer

    async def _question(self, plain: PlainRequest, question: InputRequired, context: Context) -> Json:
        if not plain.client.is_modern:
            raise ProtocolError(INTERNAL_ERROR, "Handler returned an invalid result")
        return await self.sdk().sealed(plain, question, context)


def _initialized(server: McpServer, plain: PlainRequest, _visit: Visit) -> Json:
    wanted = plain.params["protocolVersion"]
    return {
        "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else LATEST_HANDSHAKE_VERSION,
        "capabilities": _capabilities(),
        "serverInfo": server.info.document,
        "instructions": server.info.all_instructions,
    }


def _discovered(server: McpServer, _plain: PlainRequest, visit: Visit) -> Json:
    extensions = (APPS, EXTENSION) if visit.has_tasks else (APPS,)
    return {
        "supportedVersions": list(MODERN_VERSIONS),
        "capabilities": {**_capabilities(), "extensions": {name: {} for name in extensions}},
        "instructions": server.info.all_instructions,
        "ttlMs": LIST_TTL_MS,
        "cacheScope": "public",
    }


def _capabilities() -> Json:
    return {
        "completions": {},
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }


# Methods about the connection itself, which do not depend on the catalog.
_OF_CONNECTIONS = {
    "ping": lambda _server, _plain, _visit: {},
    "initialize": _initialized,
    "server/discover": _discovered,
}
