"""One request on its way: who makes it, what it may see, and what is noted of it for the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final
from weakref import ReferenceType, ref

from mcp.server import ServerRequestContext
from mcp_types import CLIENT_INFO_META_KEY

from changes.approval_request import ApprovalRequest
from changes.approvals import NO_APPROVALS, Approvals
from identity.access import Access
from identity.caller import ANONYMOUS, Caller
from identity.denial import Denial
from identity.door import OPEN_DOOR, Door
from identity.grants import NO_GRANTS, Grants
from mcp_server.conversation import Conversation
from mcp_server.declarations.tool import Tool
from mcp_server.view import NOTHING, View
from refusal import Refusal

if TYPE_CHECKING:
    from tasks.tasks import Tasks

# Where the HTTP request carries the visit from the transport to the handlers.
SCOPE_KEY: Final = "azure_team_mcp.visit"


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
class Calling:
    """The tool that is being run, and what was chosen beside its own arguments."""

    tool: Tool
    choices: Mapping[str, str]


def no_tasks() -> Tasks:
    raise Refusal("There is no long work on this server.")


async def no_hint(_visit: Visit, _name: str) -> str:
    return ""


@dataclass(slots=True)
class Visit:
    view: View
    caller: Caller = ANONYMOUS
    grants: Grants = NO_GRANTS
    # By which the caller came in.
    door: Door = OPEN_DOOR
    # How somebody is asked to agree to a change here, and the change that this call is about.
    approvals: Approvals = NO_APPROVALS
    change: ApprovalRequest | None = None
    # Work that outlives this request.
    tasks: Callable[[], Tasks] = no_tasks
    # What is to be said to them of a tool of this name, which is not there and could be.
    missing_tool_hint: Callable[[Visit, str], Awaitable[str]] = no_hint
    # The address by which this server was reached.
    origin: str = ""
    calling: Calling | None = None
    way: Way = Way.DIRECT
    invocation: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    requested: RequestedTool | None = None
    address: str = ""
    # What the request tries, in words of our own: asked for where it is to be recorded and calls none of our tools.
    tried: Callable[[], str] = str
    # Whether it would come to no record by itself but presents something that was given to one person only.
    presents: bool = False
    # What the look with which a preview goes on left, and whether what the call does was previewed for it.
    trail: Mapping[str, Any] = field(default_factory=dict)
    is_previewed: bool = False
    # The tenant of data, not their own, for which the caller asked.
    crosses_to: str = ""
    # How many questions of the call the model of its caller's client was asked.
    asked_model: int = 0
    # How many records of strangers were left out before the one of this.
    omitted: int = 0
    # What kind of failure ended the call, if one did: its answer tells it in words only.
    ended_by: type[BaseException] | None = None
    # Why a service behind a tool turned the caller away: the answer over HTTP becomes it.
    denial: Denial | None = None
    # A call through `azure` is recorded as what it called, and not once more.
    is_recorded: bool = False
    # How the caller can be asked while the call is under way, in the versions in which no answer asks.
    conversation: Conversation | None = None

    def asked_again(self) -> None:
        """Forget what the call left here: it is made once more, with what the user answered."""
        self.change = self.calling = self.ended_by = None
        self.trail, self.is_previewed, self.is_recorded = {}, False, False

    @property
    def is_changing(self) -> bool:
        """Whether the tool that is being called changes something: then nothing counts that was read before."""
        return self.calling is not None and self.calling.tool.own_access is not Access.READ

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.requested.meta if self.requested else {}

    @property
    def client_name(self) -> str:
        """What the client calls itself."""
        about = self.meta.get(CLIENT_INFO_META_KEY)
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else self.headers.get("user-agent", "")


# The SDK asks for a tool's schema by its name alone, before there is a context that could carry the visit. What the SDK
# starts for a request takes a copy of this along and may outlive it, which must not keep a replaced catalog alive.
_UNDER_WAY: Final[ContextVar[ReferenceType[View]]] = ContextVar("view_under_way")


@contextmanager
def under_way(visit: Visit) -> Iterator[None]:
    token = _UNDER_WAY.set(ref(visit.view))
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)


def view_under_way() -> View:
    return _UNDER_WAY.get()() or NOTHING


def visit_of(ctx: ServerRequestContext[Any, Any]) -> Visit:
    request: Any = ctx.request
    visit: Visit = request.scope[SCOPE_KEY]
    return visit


def view_of(ctx: ServerRequestContext[Any, Any]) -> View:
    return visit_of(ctx).view
