"""Lists subscriptions, tenants and locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.versions import SUBSCRIPTIONS_VERSION
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer, at, every, many, shape
from tools.azure.shared.everywhere import answered_for_each, in_each
from tools.azure.shared.parameters import MOST_RESULTS, Subscription

part = Part()

_SUBSCRIPTION: Final = shape(
    "state",
    "tags",
    name="displayName",
    id="subscriptionId",
    tenant="tenantId",
    offer="subscriptionPolicies.quotaId",
    spending_limit="subscriptionPolicies.spendingLimit",
)
_TENANT: Final = shape(id="tenantId", name="displayName", domain="defaultDomain", category="tenantCategory")
_PHYSICAL: Final = "physical"

Words = Annotated[str | None, Field(max_length=100, description="Part of name or geography, such as Europe")]


@part.tool(Access.READ)
async def list_azure_subscriptions(azure: Arm) -> Json:
    """List the Azure subscriptions that you can access, with their ids."""
    found = await azure.subscriptions()
    return every({"name": one.name, "id": one.id, "tenant": one.tenant, "state": one.state} for one in found)


@part.tool(Access.READ, harmless=("subscription",))
async def show_account(azure: Arm, subscription: Subscription = None) -> Json:
    """Show the default subscription, or the named one, with its tenant and cloud.

    No tool changes the default: pass `subscription` in each call, or ask an operator to set AZURE_SUBSCRIPTION_ID.
    """

    async def shown(scope: ResourceId) -> Json:
        found = await azure.json(of_id("GET", scope, version=SUBSCRIPTIONS_VERSION))
        return answer(cloud=azure.cloud.name, subscription=_SUBSCRIPTION(found))

    chosen = subscription or await azure.default_subscription()
    return await answered_for_each(azure, chosen, shown)


@part.tool(Access.READ)
async def list_tenants(azure: Arm) -> Json:
    """List the Entra tenants that you belong to."""
    return many(await azure.page(AzureRequest("GET /tenants", version=SUBSCRIPTIONS_VERSION), MOST_RESULTS), _TENANT)


@part.tool(Access.READ, harmless=("subscription", "words"))
async def list_locations(azure: Arm, words: Words = None, subscription: Subscription = None) -> Json:
    """List the Azure regions that a subscription can use, with their geographies and paired regions."""

    async def read(scope: ResourceId) -> ListPage:
        found = await azure.page(of_id("GET", scope, "/locations", version=SUBSCRIPTIONS_VERSION), MOST_RESULTS)
        return ListPage([_location(one) for one in found.items if _is_region(one) and _matches(one, words or "")])

    found = await in_each(azure, subscription, read, MOST_RESULTS)
    return many(ListPage(_distinct(found.page.items)), **found.said)


def _distinct(rows: Sequence[Json]) -> list[Json]:
    """Return each region once.

    If only some subscriptions have a region, the region's `only_in` lists these subscriptions.
    """
    regions: dict[str, Json] = {}
    users: dict[str, list[str]] = {}
    for row in rows:
        own = {name: value for name, value in row.items() if name != "subscription"}
        regions.setdefault(own["name"], own)
        users.setdefault(own["name"], []).append(str(row.get("subscription")))
    everyone = {name for names in users.values() for name in names}
    return [
        {**own, **({} if len(users[name]) == len(everyone) else {"only_in": users[name]})}
        for name, own in regions.items()
    ]


def _is_region(location: Mapping[str, Any]) -> bool:
    """Check whether a location is a physical region, not a logical group of regions."""
    return str(at(location, "metadata.regionType") or _PHYSICAL).lower() == _PHYSICAL


def _matches(location: Mapping[str, Any], words: str) -> bool:
    texts = (location.get("name"), location.get("displayName"), at(location, "metadata.geography"))
    return any(words.strip().lower() in str(text).lower() for text in texts if text)


def _location(location: Mapping[str, Any]) -> Json:
    pairs = at(location, "metadata.pairedRegion")
    return {
        **_LOCATION(location),
        **({"paired": ", ".join(str(pair.get("name")) for pair in pairs)} if pairs else {}),
    }


_LOCATION: Final = shape("name", title="displayName", geography="metadata.geography")
