"""The HTTP endpoint of the MCP server: from a request to the view it may see, and from there to the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from changes.approvals import Approvals
from identity.denial import Denial
from identity.grants import Grants
from mcp_server.calls.audit import Outcome
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.conversation import Questions
from mcp_server.http.choosing import choice_in, selection_of, together
from mcp_server.http.conversing import as_end_of_stream, conversation_of, with_session
from mcp_server.http.gate import check_json, preflight
from mcp_server.http.messages import EVENT_STREAM, HttpAnswer, HttpRequest, protocol_error, run
from mcp_server.http.protocol_mistakes import in_our_words
from mcp_server.http.ready_lists import list_request
from mcp_server.http.reception import Interface, Reception
from mcp_server.http.requested_tool import LARGEST_READ_OF_STRANGERS, UNREAD, granted_of, method_of, requested_tool
from mcp_server.http.rest_sessions import RestSessions
from mcp_server.view import NOTHING
from mcp_server.visit import SCOPE_KEY, Visit, Way, no_hint, no_tasks, under_way
from refusal import Refusal

if TYPE_CHECKING:
    from tasks.tasks import Tasks


def _nothing_more() -> None:
    """Nothing is to be done after an answer."""


@dataclass(frozen=True, slots=True)
class Means:
    """What calls have at hand beside tools: how people agree to changes, and work that outlives a request.

    `sessions` are those of plain HTTP. `missing_tool_hint` knows of tools that are not there and could be.
    `questions` are those to clients that are asked within a call.
    """

    approvals: Callable[[], Approvals] = Approvals
    tasks: Callable[[], Tasks] = no_tasks
    sessions: RestSessions = field(default_factory=RestSessions)
    missing_tool_hint: Callable[[Visit, str], Awaitable[str]] = no_hint
    questions: Questions = field(default_factory=Questions)


_NO_MEANS: Final = Means()


@dataclass(frozen=True, slots=True)
class Reading:
    """How requests of an interface become messages of MCP, which all take the same way from there."""

    interface: Interface
    # Raises a `Refusal` for what it cannot read.
    message: Callable[[HttpRequest], HttpRequest]


def _as_it_came(request: HttpRequest) -> HttpRequest:
    check_json(request.body)
    return request


# Stateless: there is no stream to GET and no session to DELETE, and clients go on after 405.
_STATELESS: Final = ": this server keeps no sessions and no streams"
OF_MCP: Final = Reading(Interface(protocol_error, ("POST", "OPTIONS"), why=_STATELESS), _as_it_came)


class Endpoint:
    """Answers requests one by one; nothing is remembered between two of them but ready answers."""

    def __init__(
        self,
        server: Server[Any],
        catalogs: Catalogs,
        reception: Reception,
        answered: Callable[[], None] = _nothing_more,
        means: Means = _NO_MEANS,
    ) -> None:
        """`answered` is called after each answer: whoever waits for the first one is not to wait for other work."""
        self._catalogs = catalogs
        self._reception = reception
        self._server = server
        self._answered = answered
        self._means = means
        self._logs = server.get_request_handler("logging/setLevel") is not None
        self._start: asyncio.Task[None] | None = None
        self._started: asyncio.Future[Sessions] | None = None

    @property
    def sessions(self) -> RestSessions:
        return self._means.sessions

    async def handle(
        self,
        request: HttpRequest,
        toolsets: str | None = None,
        visit: Visit | None = None,
        reading: Reading | None = None,
    ) -> HttpAnswer:
        """Answer one request; `toolsets` are those that its address names, if it names any.

        `visit` is where what is noted of it on the way is written for whoever wants to know more than the answer says.
        """
        visit, reading = visit or Visit(NOTHING), reading or OF_MCP
        visit.invocation, visit.headers = request.invocation, request.headers
        visit.tried = partial(method_of, request.body)
        answering = partial(self._answer, toolsets, reading)
        answer = await self._reception.receive(request, visit, answering, reading.interface)
        self._answered()
        answer = as_end_of_stream(request, answer)
        sharing = self._reception.gate.sharing(request)
        return HttpAnswer(answer.status, answer.body, {**answer.headers, **sharing}) if sharing else answer

    async def _answer(self, toolsets: str | None, reading: Reading, request: HttpRequest, visit: Visit) -> HttpAnswer:
        if request.method == "OPTIONS":
            return preflight(request)
        catalog = await self._catalogs.begun()  # and no other one from here on, whatever takes its place meanwhile
        message = await self._admitted(catalog, reading, request, visit)
        if self._means.questions.answered(visit.caller, message.body):
            return HttpAnswer(202)
        door = self._reception.door
        visit.door, visit.approvals, visit.origin = door, self._means.approvals(), request.origin
        visit.tasks, visit.missing_tool_hint = self._means.tasks, self._means.missing_tool_hint
        grants = visit.grants = door.grants_of(visit.caller)
        self._look_for_the_tool(visit, grants)
        choice = together(self._chosen_before(visit), choice_in(message.headers))
        visit.view = catalog.view(selection_of(choice, toolsets), grants)
        if visit.requested:
            visit.requested = visit.requested.within(visit.view)
        if not visit.view.toolsets and not grants.are_unlimited:
            raise Denial(
                "No role of yours opens any of these tools. Ask an administrator for one.", "insufficient_scope"
            )
        answer = await self._listed_or_run(message, visit)
        if visit.denial:
            raise visit.denial
        return answer

    async def _admitted(self, catalog: Catalog, reading: Reading, request: HttpRequest, visit: Visit) -> HttpRequest:
        """The message of a caller who has signed in.

        What strangers ask for is on record too, so a small body is read before; what is wrong with it is told after.
        """
        early = self._read_early(reading, request)
        if isinstance(early, HttpRequest):
            visit.tried = partial(method_of, early.body)
            visit.requested = requested_tool(early.body, catalog)
        elif early is None:
            visit.requested = UNREAD
        visit.caller = await self._reception.door.enter(request.headers)
        if isinstance(early, Refusal):
            raise early
        return early or await self._read_late(catalog, reading, request, visit)

    def _read_early(self, reading: Reading, request: HttpRequest) -> HttpRequest | Refusal | None:
        if len(request.body) > LARGEST_READ_OF_STRANGERS:
            return None
        try:
            return self._read(reading, request)
        except Refusal as refusal:
            return refusal

    async def _read_late(self, catalog: Catalog, reading: Reading, request: HttpRequest, visit: Visit) -> HttpRequest:
        visit.requested = None
        message = self._read(reading, request)
        # Between two readings of a large body, each of which takes a while, whoever waits has a turn.
        await asyncio.sleep(0)
        visit.requested = requested_tool(message.body, catalog)
        await asyncio.sleep(0)
        return message

    def _read(self, reading: Reading, request: HttpRequest) -> HttpRequest:
        self._reception.gate.check_body(request)
        return reading.message(request)

    def _chosen_before(self, visit: Visit) -> Mapping[str, str]:
        return self._means.sessions.choice(visit.caller, visit.headers) if visit.way is Way.REST else {}

    def _look_for_the_tool(self, visit: Visit, grants: Grants) -> None:
        """Turn a caller away who can ask for what is missing. To any other a tool that is not granted is not there.

        That it was tried is on record; what follows is the answer to a name that no tool has.
        """
        if visit.requested is None or not visit.requested.tools:
            return
        granted = granted_of(visit.requested, grants)
        if granted is None:
            tool = visit.requested.tool
            if denial := self._reception.door.askable(visit.caller, tool.toolset, tool.original.name, tool.access):
                raise denial
            self._reception.record(visit, Outcome.DENIED)
        visit.requested = granted

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
        sharing = self._reception.gate.sharing(request)
        visit.conversation = conversation_of(request, visit, self._means.questions, sharing)
        manager = sessions.streaming if self._may_be_told_more(request) else sessions.plain
        with under_way(visit):
            answer = await run(manager.handle_request, request, {SCOPE_KEY: visit})
        return with_session(request, in_our_words(request, answer))

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


def _is_handshake_call(request: HttpRequest) -> bool:
    return request.headers.get(MCP_PROTOCOL_VERSION_HEADER) in HANDSHAKE_PROTOCOL_VERSIONS and (
        b'"tools/call"' in request.body
    )
