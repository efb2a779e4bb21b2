"""One request on its way: who makes it, what it may see, and what is noted of it for the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mcp.server import ServerRequestContext

from identity.caller import ANONYMOUS, Caller
from identity.denial import Denial
from mcp_server.audit import Way
from mcp_server.view import View

# Where the HTTP request carries the visit from the transport to the handlers.
SCOPE_KEY: Final = "azure_team_mcp.visit"


@dataclass(slots=True)
class Visit:
    view: View
    caller: Caller = ANONYMOUS
    way: Way = Way.DIRECT
    invocation: str = ""
    # Why a service behind a tool turned the caller away: the answer over HTTP becomes it.
    denial: Denial | None = None
    # A call through `azure` is recorded as what it called, and not once more.
    is_recorded: bool = False


def visit_of(ctx: ServerRequestContext[Any, Any]) -> Visit:
    request: Any = ctx.request
    visit: Visit = request.scope[SCOPE_KEY]
    return visit


def view_of(ctx: ServerRequestContext[Any, Any]) -> View:
    return visit_of(ctx).view
