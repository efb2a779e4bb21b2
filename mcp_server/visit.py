"""One request on its way: who makes it, what it may see, and what is noted of it for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp_types import CLIENT_INFO_META_KEY

from identity.caller import ANONYMOUS, Caller
from identity.denial import Denial
from mcp_server.declarations.tool import Tool
from mcp_server.view import View

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

    tool: Tool
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any]
    # None is the way in which the whole request came.
    way: Way | None = None


@dataclass(slots=True)
class Visit:
    view: View
    caller: Caller = ANONYMOUS
    way: Way = Way.DIRECT
    invocation: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    requested: RequestedTool | None = None
    # Why a service behind a tool turned the caller away: the answer over HTTP becomes it.
    denial: Denial | None = None
    # A call through `azure` is recorded as what it called, and not once more.
    is_recorded: bool = False

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.requested.meta if self.requested else {}

    @property
    def agent(self) -> str:
        """What the client calls itself."""
        about = self.meta.get(CLIENT_INFO_META_KEY)
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else self.headers.get("user-agent", "")


def visit_of(ctx: ServerRequestContext[Any, Any]) -> Visit:
    request: Any = ctx.request
    visit: Visit = request.scope[SCOPE_KEY]
    return visit


def view_of(ctx: ServerRequestContext[Any, Any]) -> View:
    return visit_of(ctx).view
