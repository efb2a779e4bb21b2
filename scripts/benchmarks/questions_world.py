"""The fake environment for questions: a team's Azure resources, and a signed-in user who has the listed tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, cast

from clients.azure.cloud import cloud_named
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer
from tests.fakes.azure.estate import Resource
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.blobs import Blob
from tests.fakes.azure.stored.queues import Message
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure.world import SHOP
from tests.fakes.opened import Opened
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import INFO, SignedIn
from tests.tools.azure.known_operations import kept
from tools import SURFACE, TOOLSETS
from tools.azure.access import AZURE
from tools.azure.provider import access
from tools.azure.settings import AzureSettings
from tools.provider import Supplies
from tools.vocabulary import VOCABULARY

# The default subscription.
_SUBSCRIPTION: Final = "Bakery Production"
_ACCOUNT: Final = "bakeryshop"
_ORDERS: Final = 3000
_LATE: Final = 7


@asynccontextmanager
async def asked_of() -> AsyncIterator[Caller]:
    azure, storage, transport = FakeAzure(), _filled(), HastyTransport()
    _let_in(azure)
    async with azure.serving() as url, storage.serving():
        azure.point_storage_to(_ACCOUNT, storage.endpoints(_ACCOUNT))
        upstream = cast("Any", SignedIn(OWNER.token))
        supplies = Supplies(lambda: upstream, kept, cast("Any", None), cloud_named(url))
        async with access(
            AzureSettings(subscription=_SUBSCRIPTION, reads_directory=True), supplies, transport
        ) as opened:
            server = McpServer(INFO, lambda: nullcontext(Opened({AZURE: opened})), [])
            yield Caller(Endpoint(server, Catalogs(_catalog()), Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS))))


@cache
def _catalog() -> Catalog:
    """Return a catalog with all tools, so that tools for other services compete in the search."""
    return Catalog(TOOLSETS, SURFACE, vocabulary=VOCABULARY)


def _let_in(azure: FakeAzure) -> None:
    """Add a firewall rule that allows the office to reach the database."""
    kind, moment = "Microsoft.Sql/servers/firewallRules", datetime.now(UTC) - timedelta(days=90)
    place = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql/firewallRules/office"
    address = "203.0.113.7"
    properties = {"startIpAddress": address, "endIpAddress": address}
    document = {"id": place, "name": "office", "type": kind, "properties": properties}
    azure.estate.add(Resource(document, moment, moment))


def _filled() -> FakeStorage:
    storage, now = FakeStorage(), datetime.now(UTC)
    account = storage.account(_ACCOUNT)
    for month in ("october", "november"):
        receipts = Blob(b"order,price\n1,3.20\n2,4.10\n", now, "text/csv")
        account.blob.add("receipts", f"2026/{month}.csv", receipts)
    account.blob.add("logs", "app.log", Blob(_log(), now, "text/plain"))
    account.queue.add("late-orders", *(Message(f"order {number} is late") for number in range(1, _LATE + 1)))
    return storage


def _log() -> bytes:
    lines = [f"order {number} baked" for number in range(1, _ORDERS)]
    return "\n".join([*lines, f"order {_ORDERS} failed: oven too cold", ""]).encode()
