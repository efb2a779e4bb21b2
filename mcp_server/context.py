"""The call context that tools receive."""

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
    """The tool being run, and what was selected besides its own arguments."""

    toolset: str
    name: str
    access: Access
    # The access of the tool itself, not counting the tools it calls.
    own_access: Access
    choices: Mapping[str, str]


class Channel(Protocol):
    """The channel to the client while it waits for the answer."""

    async def report_progress(self, done: float, total: float | None, message: str | None, /) -> None: ...


class NoChannel:
    """For answers that are a single document, which cannot carry earlier messages."""

    async def report_progress(self, _done: float, _total: float | None, _message: str | None) -> None:
        return


NO_CHANNEL: Final = NoChannel()


@dataclass(frozen=True, slots=True)
class CallContext(Generic[V]):
    """`visit` says who is calling and what they may do. Declarations pass the context on without reading it."""

    visit: V
    # Services available to tools.
    services: Any = None
    client: RequestClient = field(default_factory=RequestClient)
    # What the client returns with the answers to an earlier question: the state it was given, and the answers.
    state: str | None = None
    answers: Mapping[str, Json] = field(default_factory=dict)
    channel: Channel = NO_CHANNEL
    calling: Calling | None = None

    @property
    def is_changing(self) -> bool:
        """Whether the tool being called changes something. Then cached reads do not count."""
        return self.calling is not None and self.calling.own_access is not Access.READ

    def of_tool(self, calling: Calling) -> CallContext[V]:
        """The context for the tool being called."""
        return CallContext(self.visit, self.services, self.client, self.state, self.answers, self.channel, calling)

    async def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        await self.channel.report_progress(done, total, message)

    def unanswered(self) -> CallContext[V]:
        """A copy without what the client returned: it is already used, or not meant for the tool."""
        return replace(self, state=None, answers={})

    def of_quiet_client(self) -> CallContext[V]:
        """The same request, as if the client could neither answer questions during a call nor receive a task."""
        return replace(self, client=self.client.quiet)


AnyContext = CallContext[Any]
