"""The data that belongs to a request: the caller, the available services, and the data for the audit record."""

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
    """The way in which a tool was called."""

    DIRECT = "direct"
    LEARNED = "learned"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class RequestedTool:
    """The tool that a request calls, and the arguments of the call.

    `meta` is the metadata that the client sent with the arguments.
    """

    # All tools that the requested name may refer to, because several toolsets may have a tool with this name. Empty if
    # no tool has this name.
    tools: tuple[Tool, ...]
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any]
    # How the tool was called, if this differs from how the request arrived.
    way: Way | None = None

    @property
    def tool(self) -> Tool:
        return self.tools[0]

    def within(self, view: View) -> RequestedTool:
        """A copy that contains only those tools that are part of the view."""
        held = tuple(tool for tool in self.tools if view.holds(tool)) if len(self.tools) > 1 else ()
        return replace(self, tools=held) if held else self


@dataclass(frozen=True, slots=True)
class Requester:
    """The sender of a request, the sender's view, and how the request arrived."""

    caller: Caller = ANONYMOUS
    grants: Grants = NO_GRANTS
    view: View = NOTHING
    # The door through which the caller was admitted.
    door: Door = OPEN_DOOR
    way: Way = Way.DIRECT
    # The origin of the URL at which the client reached this server, and the network address of the client.
    origin: str = ""
    address: str = ""
    # The ID that the platform gave to the request.
    invocation: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, address: str, invocation: str, headers: Mapping[str, str], way: Way = Way.DIRECT) -> Requester:
        """An anonymous requester: it is known how the request arrived, but not who sent it."""
        return cls(way=way, address=address, invocation=invocation, headers=headers)

    # This method does not use `replace`, because it runs for every request and `replace` is slower.
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
    """The services, other than tools, that calls can use."""

    # Handles the approval of changes.
    approvals: Callable[[], Approvals] = no_approvals
    # Stores tasks, which continue after the request that started them.
    tasks: Callable[[], Tasks] = no_tasks
    # Returns a sentence about a missing tool, for example that the tool can be installed.
    missing_tool_hint: Callable[[Visit, str], Awaitable[str]] = no_hint


@dataclass(slots=True)
class Trace:
    """The data about a request for its audit record. No other data from the request is recorded."""

    # The requester, with the data that is known so far. Anonymous before sign-in.
    requester: Requester = field(default_factory=Requester)
    requested: RequestedTool | None = None
    # Returns a fixed phrase that says what the request tries to do. This function is used only for requests that do not
    # call a tool.
    tried: Callable[[], str] = str
    # Whether to record the request although it calls no tool, because it contains the token of a personal link.
    presents: bool = False
    # The change that the request would make, the data that lets a later call continue the preview, and whether the
    # change was previewed.
    change: ApprovalRequest | None = None
    trail: Mapping[str, Any] = field(default_factory=dict)
    is_previewed: bool = False
    # The tenant whose data the caller requested, if it is not the caller's own tenant.
    crosses_to: str = ""
    # The number of questions that were sent to the model in the caller's client.
    asked_model: int = 0
    # The number of records of anonymous callers that were skipped before this record.
    omitted: int = 0
    # Whether the request is already recorded. For a call through `azure`, only the call to the other tool is recorded.
    is_recorded: bool = False

    def asked_again(self) -> None:
        """Reset the data of the call, because the call is repeated with the user's answers."""
        self.change = None
        self.trail, self.is_previewed, self.is_recorded = {}, False, False

    def let_in(self, caller: Caller) -> None:
        self.requester = self.requester.signed_in(caller)

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.requested.meta if self.requested else {}

    @property
    def client_name(self) -> str:
        """The name with which the client identifies itself."""
        about = self.meta.get(CLIENT_INFO_KEY)
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else self.requester.headers.get("user-agent", "")


@dataclass(frozen=True, slots=True)
class Visit:
    """A request from a caller who was admitted."""

    requester: Requester = field(default_factory=Requester)
    means: Means = field(default_factory=Means)
    trace: Trace = field(default_factory=Trace)
    # Sends questions to the caller during a call, for protocol versions in which responses cannot contain questions.
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
        """The tasks of this server.

        Raises:
            Refusal: This server has no tasks.
        """
        return self.means.tasks()

    def cross_to(self, tenant: str) -> None:
        """Note in the audit record that a call uses the data of another tenant."""
        self.trace.crosses_to = tenant


Context: TypeAlias = CallContext[Visit]
