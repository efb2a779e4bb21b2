"""The HTTP endpoint of the MCP server: from a request to the view it may see, and from there to the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from identity.denial import Denial, Unavailable
from identity.door import OPEN_DOOR, Door
from identity.limits import TooManyRequests
from mcp_server.calls.audit import Outcome, Way
from mcp_server.calls.recording import record_unanswered
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.failures import report_failure
from mcp_server.http.gate import Gate
from mcp_server.http.messages import HttpAnswer, HttpRequest, protocol_error, run
from mcp_server.http.ready_lists import list_request
from mcp_server.http.requested_tool import is_open, requested_tool
from mcp_server.view import NOTHING
from mcp_server.visit import SCOPE_KEY, Visit
from refusal import Refusal
from telemetry.metrics import count_throttled

EVENT_STREAM: Final = "text/event-stream"
_LONGEST_SELECTION: Final = 8192
# Of somebody who has not signed in yet.
_LARGEST_READ_OF_STRANGERS: Final = 64 * 1024


class Endpoint:
    """Answers requests one by one; nothing is remembered between two of them but ready answers."""

    def __init__(self, server: Server[Any], catalog: Catalog, gate: Gate, door: Door = OPEN_DOOR) -> None:
        self._catalog = catalog
        self._gate = gate
        self._door = door
        self._server = server
        self._logs = server.get_request_handler("logging/setLevel") is not None
        self._start: asyncio.Task[None] | None = None
        self._started: asyncio.Future[Sessions] | None = None

    async def handle(self, request: HttpRequest, toolsets: str | None = None, way: Way = Way.DIRECT) -> HttpAnswer:
        """Answer one request; `toolsets` are those that its address names, if it names any."""
        answer = self._gate.rejection(request) or await self._recorded(request, toolsets, way)
        sharing = self._gate.sharing(request)
        return HttpAnswer(answer.status, answer.body, {**answer.headers, **sharing}) if sharing else answer

    async def _recorded(self, request: HttpRequest, toolsets: str | None, way: Way) -> HttpAnswer:
        """Answer, and leave a record of the tool that was asked for if it never came to a call.

        Whoever comes too often from one address is only counted: a flood must not cost a record each.
        """
        visit = Visit(NOTHING, way=way, invocation=request.invocation, headers=request.headers)
        try:
            self._door.count(request.address)
            if len(request.body) <= _LARGEST_READ_OF_STRANGERS:
                visit.requested = requested_tool(request.body, self._catalog)
            answer, outcome = await self._answer(request, toolsets, visit), Outcome.REFUSED
        except Denial as denial:
            answer, outcome = self._denied(request, denial), Outcome.DENIED
        except TooManyRequests as limit:
            count_throttled(limit.who)
            answer, outcome = _later(429, str(limit), limit.seconds), Outcome.LIMITED
        except Unavailable as unknown:
            answer, outcome = _later(503, str(unknown), unknown.retry_after), Outcome.DENIED
        except Refusal as refusal:
            answer, outcome = protocol_error(400, INVALID_PARAMS, str(refusal)), Outcome.REFUSED
        except Exception as defect:  # noqa: BLE001 - whatever has gone wrong, the caller is answered
            answer, outcome = protocol_error(500, INTERNAL_ERROR, report_failure("The request", defect)), Outcome.FAILED
        record_unanswered(visit, outcome)
        return answer

    def _denied(self, request: HttpRequest, denial: Denial) -> HttpAnswer:
        challenge = self._door.challenge(denial, request) if self._door.challenge else ""
        headers = {"www-authenticate": challenge} if challenge else {}
        return protocol_error(denial.status, INVALID_REQUEST, str(denial), headers)

    async def _answer(self, request: HttpRequest, toolsets: str | None, visit: Visit) -> HttpAnswer:
        visit.caller = await self._door.enter(request.headers)
        visit.requested = visit.requested or requested_tool(request.body, self._catalog)
        grants = self._door.grants_of(visit.caller)
        if visit.requested and not is_open(visit.requested, grants):
            raise self._door.denial_of(visit.requested.tool.toolset, visit.requested.tool.access)
        visit.view = self._catalog.view(_selection(request.headers, toolsets), grants)
        if not visit.view.toolsets and not grants.are_unlimited:
            raise Denial(
                "No role of yours opens any of these tools. Ask an administrator for one.", "insufficient_scope"
            )
        answer = await self._listed_or_run(request, visit)
        if visit.denial:
            raise visit.denial
        return answer

    async def _listed_or_run(self, request: HttpRequest, visit: Visit) -> HttpAnswer:
        wanted = list_request(request)
        if wanted is None:
            return await self._run(request, visit)
        ready = wanted.ready_answer(visit.view)
        if ready is not None:
            return ready
        answer = await self._run(request, visit)
        wanted.keep(visit.view, answer)
        return answer

    async def _run(self, request: HttpRequest, visit: Visit) -> HttpAnswer:
        sessions = await self._running()
        manager = sessions.streaming if self._may_be_told_more(request) else sessions.plain
        return _in_our_words(await run(manager.handle_request, request, {SCOPE_KEY: visit}))

    def _may_be_told_more(self, request: HttpRequest) -> bool:
        """Whether messages may come before the answer, for which only a stream has room.

        Progress comes where it was asked for; in the handshake versions, a server that logs to clients may any time.
        """
        if EVENT_STREAM not in request.headers.get("accept", ""):
            return False
        return b'"progressToken"' in request.body or (self._logs and _is_handshake_call(request))

    async def _running(self) -> Sessions:
        """Start the SDK's session managers, once, however many first requests come at the same time."""
        if self._started is None:
            self._started = asyncio.get_running_loop().create_future()
            self._start = asyncio.create_task(self._serve(self._started))
        return await asyncio.shield(self._started)

    async def _serve(self, started: asyncio.Future[Sessions]) -> None:
        # The managers must be left by the task that entered them, so this one stays until the process ends.
        sessions = Sessions.of(self._server)
        try:
            async with sessions.plain.run(), sessions.streaming.run():
                started.set_result(sessions)
                await asyncio.Event().wait()
        except Exception as failure:
            if started.done():
                raise
            started.set_exception(failure)
        finally:
            self._started = None  # the next request tries again


@dataclass(frozen=True, slots=True)
class Sessions:
    """The SDK's two ways to answer: with one JSON document, and with a stream that has room for progress."""

    plain: StreamableHTTPSessionManager
    streaming: StreamableHTTPSessionManager

    @classmethod
    def of(cls, server: Server[Any]) -> Sessions:
        return cls(
            *(StreamableHTTPSessionManager(server, json_response=only, stateless=True) for only in (True, False))
        )


def _later(status: int, message: str, seconds: int) -> HttpAnswer:
    return protocol_error(status, INVALID_REQUEST, message, {"retry-after": str(seconds)})


def _in_our_words(answer: HttpAnswer) -> HttpAnswer:
    """In the handshake versions, the SDK answers a bad envelope with what pydantic says, the values included."""
    if answer.status == 400 and b"errors.pydantic.dev" in answer.body:
        return protocol_error(400, INVALID_REQUEST, "The body is not one JSON-RPC request or notification.")
    return answer


def _is_handshake_call(request: HttpRequest) -> bool:
    return request.headers.get(MCP_PROTOCOL_VERSION_HEADER) in HANDSHAKE_PROTOCOL_VERSIONS and (
        b'"tools/call"' in request.body
    )


def _selection(headers: Mapping[str, str], toolsets: str | None) -> Selection:
    return Selection(
        path=None if toolsets is None else _names("The address", toolsets),
        toolsets=_chosen("X-MCP-Toolsets", headers),
        tools=_chosen("X-MCP-Tools", headers),
        read_only=_truth("X-MCP-Readonly", headers.get("x-mcp-readonly", "false")),
    )


def _chosen(name: str, headers: Mapping[str, str]) -> tuple[str, ...] | None:
    text = headers.get(name.lower())
    return None if text is None else _names(name, text)


def _names(where: str, text: str) -> tuple[str, ...]:
    """Split a list of names. Order and repetition do not matter, so that equal selections are one."""
    if len(text) > _LONGEST_SELECTION:
        raise Refusal(f"{where} is longer than {_LONGEST_SELECTION} characters.")
    names = {name for entry in text.split(",") if (name := entry.strip())}
    if not names:
        # Whoever meant to narrow must not be given everything.
        raise Refusal(f"{where} names nothing. Name toolsets or tools, separated by commas, or leave it out.")
    return tuple(sorted(names))


def _truth(name: str, text: str) -> bool:
    match text.strip().lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
    raise Refusal(f"{name} must be true or false.")
