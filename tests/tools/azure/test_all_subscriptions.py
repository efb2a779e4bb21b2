"""Read tools ask all subscriptions that the caller can see, and find names in any of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import pytest

from mcp_server.declarations.toolset import Access, Tool
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHARED
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.golden import cases
from tests.tools.azure.inventing import answered, asking, refused
from tools.azure.declared import AzureSettings

ALL: Final = "Bakery Production, Bakery Development, Bakery Shared"
LISTS: Final = {
    "list_storage_accounts": ("storageAccounts", {}),
    "list_keyvaults": ("vaults", {}),
    "list_cosmosdb_accounts": ("databaseAccounts", {}),
    "list_servicebus_namespaces": ("namespaces", {}),
    "list_apps": ("sites", {}),
    "list_resources": ("resources", {"max_results": 20}),
    "list_resource_groups": ("resourcegroups", {}),
    "list_azure_tags": ("tagNames", {}),
    "list_resource_locks": ("locks", {}),
    "list_azure_deployments": ("deployments", {}),
    "list_activity_log": ("eventtypes", {}),
    "list_fired_alerts": ("alerts", {}),
    "list_service_health_events": ("events", {}),
    "show_costs": ("query", {}),
    "list_role_assignments": ("roleAssignments", {"max_results": 5}),
}
# The same call again, without whatever says where.
PLACES: Final = frozenset({"subscription", "resource_group"})
# A template is checked against one place: its group says in which subscription.
OF_ONE_PLACE: Final = frozenset({"preview_deployment"})
READS: Final = [
    tool for tool in TOOLS if tool.access is Access.READ and "subscription" in tool.input_schema["properties"]
]


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


@pytest.fixture(params=["", "Bakery Production"], ids=["no default", "a default"])
async def caller(azure: FakeAzure, request: pytest.FixtureRequest) -> AsyncIterator[Caller]:
    async with asking(azure, settings=AzureSettings(subscription=request.param)) as someone:
        yield someone


@pytest.mark.parametrize("tool", LISTS)
async def test_a_list_asks_all_subscriptions_and_names_them(tool: str, azure: FakeAzure, caller: Caller) -> None:
    part, arguments = LISTS[tool]
    result = await caller.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    paths = [one.path.lower() for one in azure.asked if part.lower() in one.path.lower()]
    assert all(any(one in path for path in paths) for one in (PRODUCTION, DEVELOPMENT, SHARED))
    assert result["structuredContent"].get("asked", result["structuredContent"].get("of")) == ALL


@pytest.mark.parametrize("tool", READS, ids=lambda tool: tool.name)
async def test_no_read_tool_demands_a_subscription(tool: Tool, caller: Caller) -> None:
    case = next(case for case in cases() if case.tool == tool.name)
    kept = {*tool.input_schema.get("required", ()), *({"resource_group"} if tool.name in OF_ONE_PLACE else ())}
    given = {name: value for name, value in case.arguments.items() if name not in PLACES or name in kept}
    result = await caller.call(tool.name, **given)
    assert "Which subscription?" not in result["content"][0]["text"]


async def test_a_subscription_that_fails_is_named_beside_what_the_others_have(azure: FakeAzure, caller: Caller) -> None:
    azure.places[f"{DEVELOPMENT}/providers/Microsoft.Storage"] = troubles.failing(403, "AuthorizationFailed", "No.")
    found = await answered(caller, "list_storage_accounts")
    assert found["asked"] == "Bakery Production, Bakery Shared"
    assert found["notRead"][0]["names"] == ["Bakery Development"]


async def test_a_part_of_a_name_means_the_only_subscription_with_it(caller: Caller) -> None:
    assert (await answered(caller, "list_resource_groups", subscription="shared"))["asked"] == "Bakery Shared"
    assert "No single subscription is called 'bakery'. Pass" in await refused(
        caller, "list_resource_groups", subscription="bakery"
    )


@pytest.mark.parametrize("subscription", ["nowhere", "99999999-0000-4000-8000-000000000000"])
async def test_a_subscription_that_cannot_be_seen_is_said_so(subscription: str, caller: Caller) -> None:
    told = await refused(caller, "list_resources", subscription=subscription)
    assert f"called {subscription!r}" in told
    assert "you cannot see it, or it does not exist" in told


async def test_a_group_is_found_in_whichever_subscription_has_it(azure: FakeAzure, caller: Caller) -> None:
    groups = await answered(caller, "list_resource_groups", subscription="shared")
    name = groups["items"][0]["name"]
    assert SHARED in (await answered(caller, "show_resource_group", resource_group=name))["id"].lower()
    assert "you cannot see it, or it does not exist" in await refused(
        caller, "show_resource_group", resource_group="no-such-group"
    )
