"""The context of a call, which the server passes to the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, Protocol, TypeVar

from identity.access import Access
from mcp_server.protocol.client import RequestClient
from mcp_server.protocol.results import Json

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Calling:
    """The tool that is being called, and options of the call that are not arguments of the tool."""

    toolset: str
    name: str
    access: Access
    # The access that the tool itself needs, not counting the tools that it calls.
    own_access: Access
    choices: Mapping[str, str]


class Channel(Protocol):
    """Sends messages to the client while the client waits for the response."""

    async def report_progress(self, done: float, total: float | None, message: str | None, /) -> None: ...


class NoChannel:
    """Discards messages, because the response is a single document."""

    async def report_progress(self, _done: float, _total: float | None, _message: str | None) -> None:
        return


NO_CHANNEL: Final = NoChannel()


@dataclass(frozen=True, slots=True)
class CallContext(Generic[V]):
    """The context of a call. `visit` contains the caller and the caller's access."""

    visit: V
    # The services that tools can use.
    services: Any = None
    client: RequestClient = field(default_factory=RequestClient)
    # The state and the answers that the client sent back after an earlier question.
    state: str | None = None
    answers: Mapping[str, Json] = field(default_factory=dict)
    channel: Channel = NO_CHANNEL
    calling: Calling | None = None

    @property
    def is_changing(self) -> bool:
        """Whether the call changes something. A call that changes something must not use cached data."""
        return self.calling is not None and self.calling.own_access is not Access.READ

    def of_tool(self, calling: Calling) -> CallContext[V]:
        """A copy of this context for the tool that is being called."""
        return CallContext(self.visit, self.services, self.client, self.state, self.answers, self.channel, calling)

    async def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        await self.channel.report_progress(done, total, message)

    def unanswered(self) -> CallContext[V]:
        """A copy without the client's state and answers, which were already used or are not meant for the tool."""
        return replace(self, state=None, answers={})

    def of_quiet_client(self) -> CallContext[V]:
        """A copy for a client that cannot answer questions during a call or receive a task."""
        return replace(self, client=self.client.quiet)


AnyContext = CallContext[Any]
