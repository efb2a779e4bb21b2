"""Calling the Azure DevOps tools over MCP, whatever stands behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any, Final

from changes.approvals import Approvals
from changes.rules import Rules
from clients.advice import Advice
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.connection import DevOpsConnection, basic_authorization
from clients.azure_devops.organization import Organization
from clients.rest import Transport
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.toolset import Tool, Toolset
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from tests.fakes.opened import Opened
from tests.mcp_server.caller import Caller
from tools.azure_devops import TOOLSETS
from tools.azure_devops.access import AZURE_DEVOPS, AzureDevOpsAccess
from tools.azure_devops.settings import HINTS

TOKEN: Final = "invented-token"  # noqa: S105 - of nobody
CLOUD: Final = "https://dev.azure.com/acme"
# What tools do when they are told to, whoever had to agree to it.
UNASKED: Final = Approvals(rules=Rules(waived=[toolset.name for toolset in TOOLSETS]))
FETCHED: Final = b"fetched"
CATALOG: Final = Catalog(TOOLSETS, frozenset())
TOOLS: Final[Sequence[Tool]] = [tool for toolset in TOOLSETS for tool in toolset.tools]


async def authorize() -> str:
    return basic_authorization(TOKEN)


async def fetch(_url: str) -> bytes:
    return FETCHED


@asynccontextmanager
async def calling(transport: Transport, address: str = CLOUD, **options: Any) -> AsyncIterator[Caller]:
    """Someone who calls the tools directly; `options` are those of the client."""
    async with DevOpsConnection(transport=transport) as connection:

        def client(_: object) -> AzureDevOps:
            return AzureDevOps(connection, Organization.at(address), authorize, advice=Advice(HINTS), **options)

        opened = Opened({AZURE_DEVOPS: AzureDevOpsAccess(client, fetch)})
        info = ServerInfo("calling", "Calling", "1", "Calling tools.")
        server = McpServer(info, lambda: nullcontext(opened), [])
        reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS))
        yield Caller(Endpoint(server, Catalogs(CATALOG), reception, means=Means(lambda: UNASKED)), "all")


def tools_of(toolset: Toolset) -> Sequence[Tool]:
    return list(CATALOG.view(Selection(path=(toolset.name,))).tools.values())
