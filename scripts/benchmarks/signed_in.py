"""Measures the cost of authentication: calls with and without a token, and token exchanges.

In an exchange, the server gets a token to act on behalf of a user.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final

from app.access import door_of
from app.signing_in import upstream_of
from identity.caller import Caller, CallerKind
from identity.door import OPEN_DOOR, Door
from identity.grants import UNLIMITED
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, Gate
from mcp_server.http.messages import HttpRequest
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from scripts.benchmarks import many_tools
from scripts.benchmarks.measure import Timing, side_by_side
from settings import Settings, SignInSettings, UpstreamSettings
from tests.fakes.issuer import AUDIENCE, SCOPE, TENANT, USER, Issuer, issuing
from tests.fakes.upstream_identity import UpstreamIdentity
from tests.mcp_server.caller import message
from tools import TOOLSETS

ROUNDS: Final = 2000
SECRET: Final = "invented"  # noqa: S105 - of an invented issuer
SERVICE: Final = "https://management.azure.com/.default"


@dataclass(frozen=True)
class Exchange:
    """The duration of a token exchange in seconds, and the number of requests that the exchange sends to the issuer."""

    seconds: float
    requests: int


@dataclass(frozen=True)
class SignInFigures:
    calls: dict[str, Timing]
    on_behalf: dict[str, Exchange]

    @property
    def cost(self) -> float:
        return self.calls["with a token"].median - self.calls["anonymous"].median


async def measured() -> SignInFigures:
    async with issuing(UpstreamIdentity(SECRET)) as issuer:
        return SignInFigures(await _calls(issuer), await _on_behalf(issuer))


def _settings(issuer: Issuer) -> Settings:
    sign_in = SignInSettings(
        mode="oauth", issuer=issuer.url, audience=(AUDIENCE,), scope=SCOPE, limit_per_caller=0, limit_per_address=0
    )
    return Settings(sign_in=sign_in, upstream=UpstreamSettings(client_id=AUDIENCE, client_secret=SECRET))


async def _calls(issuer: Issuer) -> dict[str, Timing]:
    request = message("tools/call", {"name": "ping"})
    signed_in = replace(request, headers={**request.headers, "authorization": f"Bearer {issuer.token()}"})
    guarded = replace(door_of(_settings(issuer), TOOLSETS), grants_of=lambda _: UNLIMITED)
    everybodys, guardeds = _endpoint(OPEN_DOOR), _endpoint(guarded)
    return await side_by_side(
        {"anonymous": lambda: _ok(everybodys, request), "with a token": lambda: _ok(guardeds, signed_in)}, ROUNDS
    )


def _endpoint(door: Door) -> Endpoint:
    catalog = Catalog([many_tools.toolset()], ())
    server = McpServer(ServerInfo("bench", "Bench", "1", "Bench."), nullcontext, [])
    return Endpoint(server, Catalogs(catalog), Reception(Gate.of(LOCAL_HOSTS, ()), door))


async def _ok(endpoint: Endpoint, request: HttpRequest) -> object:
    answer = await endpoint.handle(request, "all")
    if answer.status != 200:
        raise RuntimeError(answer.body.decode())
    return answer


async def _on_behalf(issuer: Issuer) -> dict[str, Exchange]:
    upstream = upstream_of(_settings(issuer))
    user = Caller(CallerKind.USER, TENANT, USER, token=issuer.token())
    found = {}
    for turn in ("first", "second"):
        before, start = len(issuer.requests), perf_counter()
        await upstream.authorization(user, SERVICE)
        found[turn] = Exchange(perf_counter() - start, len(issuer.requests) - before)
    return found
