"""The HTTP endpoint of the MCP server.

The endpoint determines what the caller can see, and lets an adapter answer the message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from identity.denial import Denial
from identity.grants import Grants
from mcp_server.calls.audit import Outcome
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.conversation import Questions
from mcp_server.http.adapter import Adapter, Answered
from mcp_server.http.choosing import choice_in, selection_of, together
from mcp_server.http.conversing import as_end_of_stream, conversation_of, with_session
from mcp_server.http.gate import check_json, preflight
from mcp_server.http.kept_open import KeptOpen
from mcp_server.http.messages import HttpAnswer, HttpRequest, protocol_error
from mcp_server.http.reception import Interface, Reception
from mcp_server.http.requested_tool import LARGEST_READ_OF_STRANGERS, UNREAD, granted_of, method_of, requested_tool
from mcp_server.http.rest_sessions import RestSessions
from mcp_server.http.wire.wire import WireAdapter
from mcp_server.protocol.results import CallEnding
from mcp_server.server import McpServer
from mcp_server.visit import Means, Requester, Trace, Visit, Way
from refusal import Refusal

if TYPE_CHECKING:
    from mcp_server.sdk.adapter import SdkAdapter


class Adapters(StrEnum):
    """Which adapters are allowed to answer messages."""

    BOTH = "both"
    # Operators choose this value to find out whether the other adapter causes a problem.
    SDK = "sdk"


def _nothing_more() -> None:
    """The default for `answered`: do nothing after a response."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How requests to an HTTP interface are checked and converted to MCP messages."""

    interface: Interface
    # Converts a request to an MCP message. Raises a `Refusal` if the request is invalid.
    message: Callable[[HttpRequest], HttpRequest]


def _as_it_came(request: HttpRequest) -> HttpRequest:
    check_json(request.body)
    return request


# Some clients try GET to open a stream, or DELETE to end a session. These clients continue after a response with status
# 405.
_STATELESS: Final = ": this server has no sessions or streams"
OF_MCP: Final = Reading(Interface(protocol_error, ("POST", "OPTIONS"), why=_STATELESS), _as_it_came)


@dataclass(eq=False)
class Endpoint:
    """Answers requests. The endpoint keeps no state between requests, except caches."""

    server: McpServer
    catalogs: Catalogs
    reception: Reception
    means: Means = field(default_factory=Means)
    # The sessions of callers that use plain HTTP instead of MCP.
    sessions: RestSessions = field(default_factory=RestSessions, kw_only=True)
    # The questions that the server asks clients during their calls.
    questions: Questions = field(default_factory=Questions, kw_only=True)
    adapters: Adapters = field(default=Adapters.BOTH, kw_only=True)
    # Called after each response, to start background work for which no caller should have to wait.
    answered: Callable[[], None] = field(default=_nothing_more, kw_only=True)

    @cached_property
    def _services(self) -> KeptOpen[object]:
        return KeptOpen(self.server.services)

    @cached_property
    def sdk(self) -> SdkAdapter:
        from mcp_server.sdk.adapter import SdkAdapter

        return SdkAdapter(self.server, self._services)

    @cached_property
    def _wire(self) -> Adapter:
        return WireAdapter(self.server, self._services, lambda: self.sdk)

    async def handle(self, request: HttpRequest, toolsets: str | None = None) -> HttpAnswer:
        """Answer a request. `toolsets` is the list of toolsets in the URL of the request, if any."""
        return (await self.exchange(request, toolsets, Trace(), OF_MCP)).http

    async def exchange(self, request: HttpRequest, toolsets: str | None, trace: Trace, reading: Reading) -> Answered:
        """Answer a request. The result also says how the call ended. `trace` collects data for the audit record."""
        trace.requester = Requester.of(request.address, request.invocation, request.headers, trace.requester.way)
        trace.tried = partial(method_of, request.body)
        endings: list[CallEnding] = []

        async def answering(request: HttpRequest, trace: Trace) -> HttpAnswer:
            answered = await self._answer(toolsets, reading, request, trace)
            endings.append(answered.ending)
            return answered.http

        answer = await self.reception.receive(request, trace, answering, reading.interface)
        self.answered()
        answer = as_end_of_stream(request, answer)
        sharing = self.reception.gate.sharing(request)
        shared = HttpAnswer(answer.status, answer.body, {**answer.headers, **sharing}) if sharing else answer
        return Answered(shared, *endings)

    async def _answer(self, toolsets: str | None, reading: Reading, request: HttpRequest, trace: Trace) -> Answered:
        if request.method == "OPTIONS":
            return Answered(preflight(request))
        catalog = await self.catalogs.begun()  # the request uses this catalog, even if it is replaced in the meantime
        message = await self._admitted(catalog, reading, request, trace)
        if self.questions.answered(trace.requester.caller, message.body):
            return Answered(HttpAnswer(202))
        grants = self.reception.door.grants_of(trace.requester.caller)
        self._look_for_the_tool(trace, grants)
        trace.requester = self._seeing(catalog, toolsets, grants, trace.requester, message)
        if trace.requested:
            trace.requested = trace.requested.within(trace.requester.view)
        if not trace.requester.view.toolsets and not grants.are_unlimited:
            raise Denial(
                "Your roles do not give access to any of these tools. Ask an administrator for a role.",
                "insufficient_scope",
            )
        conversation = conversation_of(message, trace.requester, self.questions, self.reception.gate.sharing(message))
        answered = await self._by_an_adapter(message, Visit(trace.requester, self.means, trace, conversation))
        if answered.ending.denial:
            raise answered.ending.denial
        return Answered(with_session(message, answered.http), answered.ending)

    def _seeing(
        self, catalog: Catalog, toolsets: str | None, grants: Grants, requester: Requester, message: HttpRequest
    ) -> Requester:
        """A copy of the requester with the view that results from the grants and the selection."""
        choice = together(self._chosen_before(requester), choice_in(message.headers))
        view = catalog.view(selection_of(choice, toolsets), grants)
        return requester.seeing(grants, view, self.reception.door, message.origin)

    async def _admitted(self, catalog: Catalog, reading: Reading, request: HttpRequest, trace: Trace) -> HttpRequest:
        """Authenticate the caller, and return the request as an MCP message."""
        # Parse a small body before sign-in, because anonymous attempts are recorded. Report its errors after sign-in.
        early = self._read_early(reading, request)
        if isinstance(early, HttpRequest):
            trace.tried = partial(method_of, early.body)
            trace.requested = requested_tool(early, catalog)
        elif early is None:
            trace.requested = UNREAD
        trace.let_in(await self.reception.door.enter(request.headers))
        if isinstance(early, Refusal):
            raise early
        return early or await self._read_late(catalog, reading, request, trace)

    def _read_early(self, reading: Reading, request: HttpRequest) -> HttpRequest | Refusal | None:
        if len(request.body) > LARGEST_READ_OF_STRANGERS:
            return None
        try:
            return self._read(reading, request)
        except Refusal as refusal:
            return refusal

    async def _read_late(self, catalog: Catalog, reading: Reading, request: HttpRequest, trace: Trace) -> HttpRequest:
        trace.requested = None
        message = self._read(reading, request)
        # Give other requests a turn before the large body is processed again.
        await asyncio.sleep(0)
        trace.requested = requested_tool(message, catalog)
        await asyncio.sleep(0)
        return message

    def _read(self, reading: Reading, request: HttpRequest) -> HttpRequest:
        self.reception.gate.check_body(request)
        return reading.message(request)

    def _chosen_before(self, requester: Requester) -> Mapping[str, str]:
        is_rest = requester.way is Way.REST
        return self.sessions.choice(requester.caller, requester.headers) if is_rest else {}

    def _look_for_the_tool(self, trace: Trace, grants: Grants) -> None:
        """Deny the call if the caller does not have permission for the tool, but could request this permission."""
        if trace.requested is None or not trace.requested.tools:
            return
        granted = granted_of(trace.requested, grants)
        if granted is None:
            tool, caller = trace.requested.tool, trace.requester.caller
            if denial := self.reception.door.askable(caller, tool.toolset, tool.original.name, tool.access):
                raise denial
            # For all other callers, the tool does not exist: they get the same response as for an unknown tool.
            self.reception.record(trace, Outcome.DENIED)
        trace.requested = granted

    async def _by_an_adapter(self, message: HttpRequest, visit: Visit) -> Answered:
        """Answer the message with the first adapter that supports its form.

        The SDK adapter supports all forms.
        """
        if self.adapters is Adapters.BOTH and (answered := await self._wire.answer(message, visit)):
            return answered
        return await self.sdk.answer(message, visit)
