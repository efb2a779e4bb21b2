"""Lists Cosmos DB containers. Some APIs use another term for containers: collections, graphs or tables."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.cosmos.accounts import CosmosAccount, account_called
from clients.azure.cosmos.contents import CosmosPart as Container
from clients.azure.cosmos.contents import containers, databases
from clients.azure.messages import ListPage
from clients.side_by_side import MOST_SOURCES, Foremost, SourceReading, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName, Throughputs
from tools.azure.cosmos.layouts import in_full, in_short
from tools.azure.shared.answers import Json, Shape, many, present
from tools.azure.shared.parameters import MaxResults, Subscription

part = Part()

_MOST_NAMED: Final = 30

Named = Annotated[str | None, Field(min_length=1, max_length=255, description="Only this")]
OneNamed = Annotated[
    str | None, Field(min_length=1, max_length=255, description="Only this container, with its full indexing policy")
]


@part.tool(Access.READ, harmless=(*OF_ACCOUNT, "database", "container"))
async def list_cosmosdb_containers(
    azure: Arm,
    account: AccountName,
    database: Named = None,
    container: OneNamed = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List Cosmos DB containers, collections, graphs or tables: partition key, indexing, TTL, throughput.

    Default: all databases.
    """
    found = await account_called(azure, account, subscription)
    page, reading = await _listed(azure, found, database, max_results if container is None else MOST_SOURCES)
    if container is not None:
        page = _only(page, container)
    units = Throughputs(azure, found)
    owners = {owner.path: owner for owner in (one.database for one in page.items) if owner}
    throughputs = await units.read([*owners.values(), *page.items])
    shown = [_shown(one, units, in_full if container else in_short) for one in page.items]
    not_read = [
        *(reading.said("databases").get("notRead") or ()),
        *(throughputs.said("throughputs").get("notRead") or ()),
    ]
    return many(ListPage(shown, page.has_more, page.left_out), api=found.api.name, notRead=not_read)


async def _listed(
    azure: Azure, account: CosmosAccount, database: str | None, limit: int
) -> tuple[ListPage, SourceReading]:
    """Return the containers of a database, or of every database in the account."""
    if database and not account.api.databases:
        raise Refusal("The Table API has no databases. Omit `database`.")
    if database or not account.api.databases:
        return await containers(azure, account, database or "", limit), SourceReading([])
    first = Foremost(limit, lambda one: one.id.key, descending=False)

    async def ask(name: str) -> None:
        first.add(await containers(azure, account, name, limit))

    names = [one.name for one in (await databases(azure, account, MOST_SOURCES)).items]
    reading = await side_by_side({name: name for name in names}, ask)
    reading.refuse_if_none("databases")
    return first.page, reading


def _only(page: ListPage, name: str) -> ListPage:
    found = [one for one in page.items if one.name == name]
    if found:
        return ListPage(found)
    available = ", ".join(one.path for one in page.items[:_MOST_NAMED]) or "none"
    raise Refusal(f"Container {name!r} not found. Names are case-sensitive. Available: {available}.")


def _shown(one: Container, units: Throughputs, layout: Shape) -> Json:
    owner = one.database
    own = units.of(one)
    shared = units.of(owner) if owner and not own and units.has_read(one) else None
    units_of_it = {"throughput": own, "throughput_of_database": shared}
    return present({"name": one.name, "database": owner.name if owner else None, **layout(one.layout), **units_of_it})
