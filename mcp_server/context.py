"""What a tool is given of the call that it is in."""

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
    """The tool that is being run, and what was chosen beside its own arguments."""

    toolset: str
    name: str
    access: Access
    # What the tool does itself, apart from the tools that it calls.
    own_access: Access
    choices: Mapping[str, str]


class Channel(Protocol):
    """The way to the client while it waits for the answer."""

    async def report_progress(self, done: float, total: float | None, message: str | None, /) -> None: ...


class NoChannel:
    """An answer that is one document has no room for anything before it."""

    async def report_progress(self, _done: float, _total: float | None, _message: str | None) -> None:
        return


NO_CHANNEL: Final = NoChannel()


@dataclass(frozen=True, slots=True)
class CallContext(Generic[V]):
    """`visit` says who asks, and what they may do. Declarations pass a context on without looking into it."""

    visit: V
    # What tools may ask for.
    services: Any = None
    client: RequestClient = field(default_factory=RequestClient)
    # What the client brings back of an earlier question: what it was given to carry, and what was answered.
    state: str | None = None
    answers: Mapping[str, Json] = field(default_factory=dict)
    channel: Channel = NO_CHANNEL
    calling: Calling | None = None

    @property
    def is_changing(self) -> bool:
        """Whether the tool that is being called changes something: then nothing counts that was read before."""
        return self.calling is not None and self.calling.own_access is not Access.READ

    def of_tool(self, calling: Calling) -> CallContext[V]:
        """The context of the tool that is called."""
        return CallContext(self.visit, self.services, self.client, self.state, self.answers, self.channel, calling)

    async def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        await self.channel.report_progress(done, total, message)

    def unanswered(self) -> CallContext[V]:
        """The call without what the client brings back: it is used up, or not for the tool."""
        return replace(self, state=None, answers={})

    def of_quiet_client(self) -> CallContext[V]:
        """The same request as of a client that can neither be asked anything on the way nor be given a task."""
        return replace(self, client=self.client.quiet)


AnyContext = CallContext[Any]
