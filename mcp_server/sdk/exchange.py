"""What the SDK carries of one of our requests, from arrival to answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final
from weakref import ReferenceType, ref

from mcp.server import ServerRequestContext

from mcp_server.context import CallContext
from mcp_server.protocol.client import RequestClient
from mcp_server.protocol.names import CAPABILITIES_KEY
from mcp_server.protocol.results import WELL, CallEnding
from mcp_server.view import NOTHING, View
from mcp_server.visit import Context, Visit

# The key of the exchange in the request scope.
SCOPE_KEY: Final = "azure_team_mcp.exchange"

SdkContext = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class SdkExchange:
    """`ending` is how the resulting call ended: the SDK's answers have no place for it."""

    visit: Visit
    ending: CallEnding = WELL


def exchange_of(ctx: SdkContext) -> SdkExchange:
    request: Any = ctx.request
    exchange: SdkExchange = request.scope[SCOPE_KEY]
    return exchange


# The SDK asks for a tool's schema by name only, before there is a context that could carry the visit. Tasks that the
# SDK starts for a request copy this variable and may outlive it. A weak reference lets a replaced catalog be freed.
_BEING_ANSWERED: Final[ContextVar[ReferenceType[View]]] = ContextVar("view_being_answered")


@contextmanager
def being_answered(visit: Visit) -> Iterator[None]:
    token = _BEING_ANSWERED.set(ref(visit.view))
    try:
        yield
    finally:
        _BEING_ANSWERED.reset(token)


def view_being_answered() -> View:
    return _BEING_ANSWERED.get()() or NOTHING


@dataclass(frozen=True, slots=True)
class SessionChannel:
    """The channel to the client through the SDK's session of a request."""

    ctx: SdkContext

    async def report_progress(self, done: float, total: float | None, message: str | None, /) -> None:
        await self.ctx.session.report_progress(done, total, message)


def context_of(ctx: SdkContext) -> Context:
    params: Any = ctx.params or {}
    meta = params.get("_meta") or {}
    client = RequestClient(ctx.protocol_version, meta.get(CAPABILITIES_KEY))
    return CallContext(
        exchange_of(ctx).visit,
        ctx.lifespan_context,
        client,
        params.get("requestState"),
        params.get("inputResponses") or {},
        SessionChannel(ctx),
    )
