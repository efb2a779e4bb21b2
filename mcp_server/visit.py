"""One request on its way: who makes it, what it may use, and what is noted of it for its record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from identity.caller import ANONYMOUS, Caller
from identity.door import OPEN_DOOR, Door
from identity.grants import NO_GRANTS, Grants
from mcp_server.context import CallContext
from mcp_server.conversation import Conversation
from mcp_server.declarations.tool import Tool
from mcp_server.protocol.names import CLIENT_INFO_KEY
from mcp_server.view import NOTHING, View
from refusal import Refusal

if TYPE_CHECKING:
    from changes.approval_request import ApprovalRequest
    from changes.approvals import Approvals
    from tasks.tasks import Tasks


class Way(StrEnum):
    """How a tool was called."""

    DIRECT = "direct"
    LEARNED = "learned"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class RequestedTool:
    """The tool that a request is to call. `meta` is what the client says beside the arguments."""

    # More than one where several toolsets have a tool of the name, and nothing has told yet which one is meant. None
    # where this server has no tool of the name.
    tools: tuple[Tool, ...]
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any]
    # None is the way in which the whole request came.
    way: Way | None = None

    @property
    def tool(self) -> Tool:
        return self.tools[0]

    def within(self, view: View) -> RequestedTool:
        """The same in a view, which may hold only some of the tools of the name."""
        held = tuple(tool for tool in self.tools if view.holds(tool)) if len(self.tools) > 1 else ()
        return replace(self, tools=held) if held else self


@dataclass(frozen=True, slots=True)
class Requester:
    """Who makes a request, how it came, and what they may see."""

    caller: Caller = ANONYMOUS
    grants: Grants = NO_GRANTS
    view: View = NOTHING
    # By which the caller came in.
    door: Door = OPEN_DOOR
    way: Way = Way.DIRECT
    # The address by which this server was reached, and the one from which.
    origin: str = ""
    address: str = ""
    # The name that the platform has for the request.
    invocation: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, address: str, invocation: str, headers: Mapping[str, str], way: Way = Way.DIRECT) -> Requester:
        """A stranger, of whom nothing is known but how their request came."""
        return cls(way=way, address=address, invocation=invocation, headers=headers)

    # Both spell out what `replace` would find out: they are part of every request.
    def signed_in(self, caller: Caller) -> Requester:
        return Requester(
            caller,
            self.grants,
            self.view,
            self.door,
            self.way,
            self.origin,
            self.address,
            self.invocation,
            self.headers,
        )

    def seeing(self, grants: Grants, view: View, door: Door, origin: str) -> Requester:
        return Requester(self.caller, grants, view, door, self.way, origin, self.address, self.invocation, self.headers)


def no_approvals() -> Approvals:
    from changes.approvals import NO_APPROVALS

    return NO_APPROVALS


def no_tasks() -> Tasks:
    raise Refusal("This server has no long-running work.")


async def no_hint(_visit: Visit, _name: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Means:
    """What calls have at hand beside tools."""

    # How people agree to changes.
    approvals: Callable[[], Approvals] = no_approvals
    # Work that outlives a request.
    tasks: Callable[[], Tasks] = no_tasks
    # What to say of a tool of this name that is not there and could be.
    missing_tool_hint: Callable[[Visit, str], Awaitable[str]] = no_hint


@dataclass(slots=True)
class Trace:
    """What is noted of a request on its way: the only part of it that is ever written."""

    # As far as it is known: somebody who has not signed in yet is a stranger.
    requester: Requester = field(default_factory=Requester)
    requested: RequestedTool | None = None
    # What the request tries, in words of our own: asked for where it is to be recorded and calls none of our tools.
    tried: Callable[[], str] = str
    # Whether it would come to no record by itself but presents something that was given to one person only.
    presents: bool = False
    # The change that it is about; what an earlier look left, with which its preview goes on; whether there was one.
    change: ApprovalRequest | None = None
    trail: Mapping[str, Any] = field(default_factory=dict)
    is_previewed: bool = False
    # The tenant of data, not their own, for which the caller asked.
    crosses_to: str = ""
    # How many questions the model of the caller's client was asked.
    asked_model: int = 0
    # How many records of strangers were left out before the one of this.
    omitted: int = 0
    # A call through `azure` is recorded as what it called, and not once more.
    is_recorded: bool = False

    def asked_again(self) -> None:
        """Forget what a call left here: it is made once more, with what the user answered."""
        self.change = None
        self.trail, self.is_previewed, self.is_recorded = {}, False, False

    def let_in(self, caller: Caller) -> None:
        self.requester = self.requester.signed_in(caller)

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.requested.meta if self.requested else {}

    @property
    def client_name(self) -> str:
        """What the client calls itself."""
        about = self.meta.get(CLIENT_INFO_KEY)
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else self.requester.headers.get("user-agent", "")


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who was let in."""

    requester: Requester = field(default_factory=Requester)
    means: Means = field(default_factory=Means)
    trace: Trace = field(default_factory=Trace)
    # How the caller can be asked while a call is under way, in the versions in which no answer asks.
    conversation: Conversation | None = None

    @property
    def caller(self) -> Caller:
        return self.requester.caller

    @property
    def grants(self) -> Grants:
        return self.requester.grants

    @property
    def view(self) -> View:
        return self.requester.view

    @property
    def door(self) -> Door:
        return self.requester.door

    @property
    def origin(self) -> str:
        return self.requester.origin

    @property
    def headers(self) -> Mapping[str, str]:
        return self.requester.headers

    @property
    def approvals(self) -> Approvals:
        return self.means.approvals()

    @property
    def has_tasks(self) -> bool:
        return self.means.tasks is not no_tasks

    @property
    def tasks(self) -> Tasks:
        """Raises:
        Refusal: There is no long work here.
        """
        return self.means.tasks()

    def cross_to(self, tenant: str) -> None:
        """Note that a call works in the data of another tenant than its caller's own."""
        self.trace.crosses_to = tenant


Context: TypeAlias = CallContext[Visit]
