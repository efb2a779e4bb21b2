"""Calls of all tools that read, of what the invented Azure has and of what it has not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final

from mcp_server.declarations.toolset import Access, Tool
from tests.fakes.azure.monitor.bakery import INSIGHTS
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.contents import fill
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.inventing import asking
from tools.azure.settings import AzureSettings

# Messages are read over AMQP, from a bus that other tests have.
READS: Final = [tool for tool in TOOLS if tool.access is Access.READ and tool.name != "peek_servicebus_messages"]
# What is asked for in the invented Azure, by the parameter, and by the tool where another is meant.
USUAL: Final[Mapping[str, Any]] = {
    "resource_group": "shop-prod",
    "resource_id": "shop-web",
    "resource": "shop-web",
    "app": "shop-web",
    "account": "bakeryshop",
    "container": "catalog",
    "blob": "prices.csv",
    "table": "orders",
    "queue": "orders",
    "vault": "shop-secrets",
    "name": "shop-web",
    "source": "bakery-logs",
    "query": "Heartbeat | count",
    "since": "1d",
    "names": ["HttpResponseTime"],
    "namespace": "oven-bus",
    "entity": "orders",
    "regions": ["westeurope"],
    "role": "Reader",
    "environment": "shop-dev",
    "path": SHOP,
    "command": "init",
}
OWN: Final[Mapping[str, list[Mapping[str, Any]]]] = {
    "survey_resources": [
        {"about": about} for about in ("open_ports", "virtual_machines", "unused", "retiring", "public_addresses")
    ],
    "query_resource_graph": [{"query": "resources | project id, name"}],
    "list_app_errors": [{"app": INSIGHTS, "since": "1d"}, {"app": "nowhere", "since": "1d"}],
    "compare_costs": [{"by": by} for by in ("resource", "resource_group", "service")],
    "list_cosmosdb_databases": [{"account": "oven-recipes"}],
    "list_cosmosdb_containers": [{"account": "oven-recipes"}],
    "show_cosmosdb_account": [{"account": "oven-recipes"}],
    "list_storage_tables": [{"account": "bakeryshop", "max_results": 1}],
    "list_containers": [{"account": "bakeryshop", "max_results": 1}],
    "list_blobs": [{"account": "bakeryshop", "container": "logs", "max_results": 1, "recursive": True}],
    "query_storage_table": [{"account": "bakeryshop", "table": "orders", "max_results": 1}],
    "list_storage_queues": [{"account": "bakeryshop", "max_results": 1}],
    "find_azure_operation": [{"query": "list firewall rules"}],
    "read_azure": [{"path": SHOP}, {"path": f"/subscriptions/{PRODUCTION}/providers/Microsoft.Web/serverFarmz"}],
    "show_azure_deployment": [{"name": "shop-2026-11", "resource_group": "shop-prod"}, {"name": "nowhere"}],
}


def asked_of(tool: Tool) -> Iterator[Mapping[str, Any]]:
    """Arguments with which it has something to tell, and, where it takes any, names of what there is not."""
    usual = {name: USUAL[name] for name in tool.input_schema.get("required", ()) if name in USUAL}
    yield from OWN.get(tool.name, [usual])
    texts = {name for name in usual if tool.input_schema["properties"][name].get("type") == "string"}
    if tool.name not in OWN and texts - {"query", "since", "path"}:
        yield {**usual, **dict.fromkeys(texts - {"query", "since", "path"}, "nowhere")}


@asynccontextmanager
async def reading_all(subscription: str = "") -> AsyncIterator[Caller]:
    """Somebody who may read everything, with this default subscription."""
    azure, storage = FakeAzure(), FakeStorage()
    fill(storage, datetime.now(UTC))
    settings = AzureSettings(subscription=subscription, reads_directory=True)
    async with storage.serving(), asking(azure, settings=settings) as someone:
        azure.point_storage_to("bakeryshop", storage.endpoints("bakeryshop"))
        yield someone
