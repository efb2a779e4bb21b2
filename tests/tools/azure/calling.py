"""Calling the Azure tools over MCP, whatever stands behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any, Final, cast

from changes.approvals import Approvals
from changes.rules import Rules
from clients.azd_gallery import Fetch
from clients.azure.cloud import CLOUDS, Cloud
from clients.azure.prices import FetchPrices
from clients.rest import Transport
from clients.storage import Storage
from identity.door import Door, open_door
from identity.grants import Grants
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.toolset import Tool
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from tests.fakes.azd_gallery import invented_gallery
from tests.fakes.azure.price_list import FakePriceList
from tests.fakes.opened import Opened
from tests.mcp_server.caller import Caller
from tests.tools.azure.known_operations import kept
from tests.tools.azure.later import Later
from tests.tools.everything import EVERYTHING
from tools.azure import TOOLSETS
from tools.azure.access import AZURE, FetchLink
from tools.azure.provider import access
from tools.azure.settings import AzureSettings
from tools.provider import Supplies
from tools.vocabulary import VOCABULARY

HOSTS: Final = (
    "management.azure.com",
    "vault.azure.net",
    "core.windows.net",
    "api.loganalytics.io",
    "api.applicationinsights.io",
    "graph.microsoft.com",
)
INFO: Final = ServerInfo("calling", "Calling", "1", "Calling tools.")
# What tools do when they are told to, whoever had to agree to it.
UNASKED: Final = Approvals(rules=Rules(waived=[toolset.name for toolset in TOOLSETS]))
CATALOG: Final = Catalog(TOOLSETS, frozenset(), vocabulary=VOCABULARY)
TOOLS: Final[Sequence[Tool]] = [tool for toolset in TOOLSETS for tool in toolset.tools]


class SignedIn:
    """Stands where credentials are given, and gives the same token to everybody."""

    def __init__(self, token: str, own: str = "") -> None:
        self._token, self._own = token, own or token
        self.scopes: list[str] = []

    async def own_authorization(self, scope: str) -> str:
        """What the server asks of its own accord."""
        self.scopes.append(scope)
        return f"Bearer {self._own}"

    async def authorization(self, _caller: object, scope: str, *, delegable: bool = True) -> str:
        assert delegable, "Azure is called in the name of who asks"
        self.scopes.append(scope)
        return f"Bearer {self._token}"


@asynccontextmanager
async def calling(
    transport: Transport,
    settings: AzureSettings,
    *,
    cloud: Cloud = CLOUDS["public"],
    who: str = "owner",
    storage: Callable[[str], Storage] = kept,
    catalog: Catalog = CATALOG,
    grants: Grants = EVERYTHING,
    fetch: Fetch = invented_gallery,
    approvals: Approvals = UNASKED,
    door: Door | None = None,
    later: Later | None = None,
    fetch_link: FetchLink | None = None,
    fetch_prices: FetchPrices | None = None,
) -> AsyncIterator[Caller]:
    """Someone who calls the tools of a deployment with these settings, whom Azure takes for `who`."""
    later = later or Later()
    upstream = cast("Any", SignedIn(who, later.token))
    supplies = Supplies(lambda: upstream, storage, cast("Any", None), cloud, scopes_of_work=later.scopes)
    async with access(
        settings, supplies, transport, fetch, fetch_link, fetch_prices or FakePriceList().fetch
    ) as opened:
        later.begin_with(opened)
        server = McpServer(INFO, lambda: nullcontext(Opened({AZURE: opened})), [])
        reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), door or open_door(grants))
        yield Caller(Endpoint(server, Catalogs(catalog), reception, means=Means(lambda: approvals, later.tasks)), "all")
