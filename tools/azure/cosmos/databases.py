"""Lists Cosmos DB databases. The Cassandra API uses the term keyspaces for databases."""

from __future__ import annotations

from clients.azure.cosmos.accounts import account_called
from clients.azure.cosmos.contents import CosmosPart as Database
from clients.azure.cosmos.contents import databases
from clients.azure.messages import ListPage
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName, Throughputs
from tools.azure.shared.answers import Json, many, present
from tools.azure.shared.parameters import MaxResults, Subscription

part = Part()


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def list_cosmosdb_databases(
    azure: Arm, account: AccountName, subscription: Subscription = None, max_results: MaxResults = 100
) -> Json:
    """List the databases (NoSQL, MongoDB, Gremlin) or keyspaces (Cassandra) of a Cosmos DB account, with throughput."""
    found = await account_called(azure, account, subscription)
    if not found.api.databases:
        raise Refusal("The Table API has no databases. Use list_cosmosdb_containers to list the account's tables.")
    page = await databases(azure, found, max_results)
    units = Throughputs(azure, found)
    reading = await units.read(page.items)
    shown = [_shown(one, units) for one in page.items]
    not_read = reading.said("databases").get("notRead")
    return many(ListPage(shown, page.has_more, page.left_out), api=found.api.name, notRead=not_read)


def _shown(database: Database, units: Throughputs) -> Json:
    rest = "not shared: each container has its own" if units.has_read(database) else None
    return present({"name": database.name, "throughput": units.of(database) or rest})
