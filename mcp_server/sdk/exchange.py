"""Makes our own data about a request available while the SDK processes the request."""

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

# The key of the exchange in the ASGI scope of a request.
SCOPE_KEY: Final = "azure_team_mcp.exchange"

SdkContext = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class SdkExchange:
    """A request that the SDK processes.

    `ending` says how the call ended, because the SDK's response does not contain this information.
    """

    visit: Visit
    ending: CallEnding = WELL


def exchange_of(ctx: SdkContext) -> SdkExchange:
    request: Any = ctx.request
    exchange: SdkExchange = request.scope[SCOPE_KEY]
    return exchange


# The view of the current request. When the SDK needs the schema of a tool, it passes only the name of the tool, and no
# context. The reference is weak, because the SDK's asyncio tasks copy this variable and may live longer than the
# request. A strong reference would keep old catalogs in memory.
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
    """Sends messages to the client while the SDK processes the client's request."""

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
