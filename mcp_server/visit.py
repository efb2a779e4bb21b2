"""One request: who makes it, what it may use, and what is noted for its record."""

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
    """The tool that a request calls. `meta` is what the client sends besides the arguments."""

    # Several, if several toolsets have a tool of this name and it is not yet known which one is meant. Empty if there
    # is no tool of this name.
    tools: tuple[Tool, ...]
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any]
    # None means the way in which the request came.
    way: Way | None = None

    @property
    def tool(self) -> Tool:
        return self.tools[0]

    def within(self, view: View) -> RequestedTool:
        """The same within a view, which may contain only some of the tools with this name."""
        held = tuple(tool for tool in self.tools if view.holds(tool)) if len(self.tools) > 1 else ()
        return replace(self, tools=held) if held else self


@dataclass(frozen=True, slots=True)
class Requester:
    """Who makes a request, how it came, and what they may see."""

    caller: Caller = ANONYMOUS
    grants: Grants = NO_GRANTS
    view: View = NOTHING
    # The sign-in that the caller used.
    door: Door = OPEN_DOOR
    way: Way = Way.DIRECT
    # The origin under which this server was reached, and the address of the client.
    origin: str = ""
    address: str = ""
    # The platform's name for the request.
    invocation: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, address: str, invocation: str, headers: Mapping[str, str], way: Way = Way.DIRECT) -> Requester:
        """An anonymous requester: nothing is known except how the request came."""
        return cls(way=way, address=address, invocation=invocation, headers=headers)

    # Spelled out instead of using `replace`, which is slower: both run for every request.
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
    """What is available to calls besides tools."""

    # How changes are approved.
    approvals: Callable[[], Approvals] = no_approvals
    # Work that outlives a request.
    tasks: Callable[[], Tasks] = no_tasks
    # What to say about a tool of this name that does not exist but could.
    missing_tool_hint: Callable[[Visit, str], Awaitable[str]] = no_hint


@dataclass(slots=True)
class Trace:
    """What is noted about a request in progress: the only part of it that is ever recorded."""

    # As far as known: anonymous before sign-in.
    requester: Requester = field(default_factory=Requester)
    requested: RequestedTool | None = None
    # What the request tries, in our own words. Only evaluated for records of requests that call none of our tools.
    tried: Callable[[], str] = str
    # Whether to record the request, although it calls no tool, because it uses something issued to one person only.
    presents: bool = False
    # The change it is about, what an earlier preview left to continue from, and whether there was a preview.
    change: ApprovalRequest | None = None
    trail: Mapping[str, Any] = field(default_factory=dict)
    is_previewed: bool = False
    # The tenant whose data the caller requested, if not their own.
    crosses_to: str = ""
    # How many questions were sent to the model of the caller's client.
    asked_model: int = 0
    # How many records of anonymous callers were skipped before this one.
    omitted: int = 0
    # A call through `azure` is recorded once, as the tool that it called.
    is_recorded: bool = False

    def asked_again(self) -> None:
        """Reset what a call left here: it is repeated with the user's answers."""
        self.change = None
        self.trail, self.is_previewed, self.is_recorded = {}, False, False

    def let_in(self, caller: Caller) -> None:
        self.requester = self.requester.signed_in(caller)

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.requested.meta if self.requested else {}

    @property
    def client_name(self) -> str:
        """The client's own name for itself."""
        about = self.meta.get(CLIENT_INFO_KEY)
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else self.requester.headers.get("user-agent", "")


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of a caller who was admitted."""

    requester: Requester = field(default_factory=Requester)
    means: Means = field(default_factory=Means)
    trace: Trace = field(default_factory=Trace)
    # How to ask the caller during a call, in the versions in which an answer cannot ask.
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
        """The long-running work of this server.

        Raises:
            Refusal: This server has none.
        """
        return self.means.tasks()

    def cross_to(self, tenant: str) -> None:
        """Note that a call works with the data of another tenant than the caller's own."""
        self.trace.crosses_to = tenant


Context: TypeAlias = CallContext[Visit]
