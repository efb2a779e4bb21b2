"""What the SDK carries of a request of ours, from where it comes in to where it is answered."""

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

# Where the scope of a request carries the exchange.
SCOPE_KEY: Final = "azure_team_mcp.exchange"

SdkContext = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class SdkExchange:
    """`ending` is how the call ended that the request became: the SDK has no place for it in an answer."""

    visit: Visit
    ending: CallEnding = WELL


def exchange_of(ctx: SdkContext) -> SdkExchange:
    request: Any = ctx.request
    exchange: SdkExchange = request.scope[SCOPE_KEY]
    return exchange


# The SDK asks for a tool's schema by its name alone, before there is a context that could carry the visit. What the SDK
# starts for a request takes a copy of this along and may outlive it, which must not keep a replaced catalog alive.
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
    """The way to the client by the SDK's session of a request."""

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
