"""Read tools ask all subscriptions that the caller can see, and find names in any of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import pytest

from mcp_server.declarations.toolset import Access, Tool
from tests.fakes.azure import troubles
from tests.fakes.azure.people import NOBODY
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHARED
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.golden import cases
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.team import ASKING, team
from tools.azure.settings import AzureSettings

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


@Sweep("tool", LISTS, every=3)
async def test_a_list_asks_all_subscriptions_and_names_them(tool: str, azure: FakeAzure, caller: Caller) -> None:
    part, arguments = LISTS[tool]
    result = await caller.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    paths = [one.path.lower() for one in azure.asked if part.lower() in one.path.lower()]
    assert all(any(one in path for path in paths) for one in (PRODUCTION, DEVELOPMENT, SHARED))
    assert result["structuredContent"].get("asked", result["structuredContent"].get("of")) == ALL


@Sweep("tool", READS, every=4, ids=lambda tool: tool.name)
async def test_no_read_tool_demands_a_subscription(tool: Tool, caller: Caller) -> None:
    case = next(case for case in cases() if case.tool == tool.name)
    kept = {*tool.input_schema.get("required", ()), *({"resource_group"} if tool.name in OF_ONE_PLACE else ())}
    given = {name: value for name, value in case.arguments.items() if name not in PLACES or name in kept}
    result = await caller.call(tool.name, **given)
    assert "there is no default" not in result["content"][0]["text"]


async def test_a_subscription_that_fails_is_named_beside_what_the_others_have(azure: FakeAzure, caller: Caller) -> None:
    azure.places[f"{DEVELOPMENT}/providers/Microsoft.Storage"] = troubles.failing(403, "AuthorizationFailed", "No.")
    found = await answered(caller, "list_storage_accounts")
    assert found["asked"] == "Bakery Production, Bakery Shared"
    assert found["notRead"][0]["names"] == ["Bakery Development"]


async def test_a_part_of_a_name_means_the_only_subscription_with_it(caller: Caller) -> None:
    assert (await answered(caller, "list_resource_groups", subscription="shared"))["asked"] == "Bakery Shared"
    assert "No single subscription matches 'bakery'. Pass" in await refused(
        caller, "list_resource_groups", subscription="bakery"
    )


@pytest.mark.parametrize("subscription", ["nowhere", "99999999-0000-4000-8000-000000000000"])
async def test_a_subscription_that_cannot_be_seen_is_said_so(subscription: str, caller: Caller) -> None:
    told = await refused(caller, "list_resources", subscription=subscription)
    assert f"matches {subscription!r}" in told
    assert "it does not exist or you do not have access" in told


async def test_a_group_is_found_in_whichever_subscription_has_it(azure: FakeAzure, caller: Caller) -> None:
    groups = await answered(caller, "list_resource_groups", subscription="shared")
    name = groups["items"][0]["name"]
    assert SHARED in (await answered(caller, "show_resource_group", resource_group=name))["id"].lower()
    assert "it does not exist, or you do not have access" in await refused(
        caller, "show_resource_group", resource_group="no-such-group"
    )


ELSEWHERE: Final[Mapping[str, Mapping[str, Any]]] = {
    "show_resource": {"resource_id": "shop-dev-web"},
    "show_app": {"app": "shop-dev-web"},
    "diagnose_app": {"app": "shop-dev-web"},
    "list_app_instances": {"app": "shop-dev-web"},
    "list_app_deployments": {"app": "shop-dev-web"},
    "show_app_logs": {"app": "shop-dev-web"},
    "show_storage_account": {"account": "bakeryshopdev"},
    "show_keyvault": {"vault": "shop-dev-secrets"},
    "show_servicebus_namespace": {"namespace": "oven-dev-bus"},
    "show_resource_group": {"resource_group": "Oven-Dev"},
    "exists_resource_group": {"resource_group": "Oven-Dev"},
    "export_resource_group_template": {"resource_group": "Oven-Dev"},
    "show_resource_health": {"resource": "oven-test"},
    "list_metric_definitions": {"resource": "oven-test"},
    "list_activity_log": {"resource": "oven-test"},
    "list_resource_changes": {"resource": "shop-dev-web"},
    "list_role_assignments": {"resource": "shop-dev-web"},
    "show_my_access": {"resource": "shop-dev-web"},
    "list_resource_locks": {"resource_id": "shop-dev-web"},
    "show_costs": {"resource_id": "shop-dev-web"},
    "show_azd_environment": {"environment": "shop-dev"},
}
CHANGES: Final[Mapping[str, Mapping[str, Any]]] = {
    "tag_resources": {"resource_ids": ["shop-dev-web"], "tags": {"team": "oven"}},
    "delete_azure_resource": {"resource_id": "shop-dev-web"},
    "create_resource_lock": {"resource_id": "shop-dev-web", "name": "keep"},
    "delete_resource_group": {"resource_group": "Oven-Dev"},
    "restart_app": {"app": "shop-dev-web"},
    "move_resources": {"resource_ids": ["bakeryshopdev"], "target_group": "Oven-Dev"},
    "set_app_settings": {"app": "shop-dev-web", "values": {"LEVEL": "info"}},
    "delete_storage_account": {"account": "bakeryshopdev"},
    "create_container": {"account": "bakeryshopdev", "container": "new"},
    "delete_keyvault": {"vault": "shop-dev-secrets"},
    "delete_servicebus_namespace": {"namespace": "oven-dev-bus"},
    "create_servicebus_entity": {"namespace": "oven-dev-bus", "entity": "cakes"},
    "assign_role": {"principal": NOBODY.id, "role": "Reader", "resource": "shop-dev-web"},
}


@Sweep("tool", ELSEWHERE, every=3)
async def test_a_name_of_another_subscription_than_the_default_is_found(tool: str) -> None:
    async with asking(FakeAzure(), settings=AzureSettings(subscription="Bakery Production")) as someone:
        result = await someone.call(tool, **ELSEWHERE[tool])
    assert not result["isError"], result["content"][0]["text"]


@Sweep("tool", CHANGES, every=3)
async def test_a_change_of_what_only_another_subscription_has_is_shown_with_that(tool: str) -> None:
    async with team(FakeAzure(), ASKING, settings=AzureSettings(subscription="Bakery Production")) as them:
        preview = await them.shown(await refused(them.member("ada"), tool, **CHANGES[tool]))
    assert preview.places["subscription"] == [["Bakery Development", DEVELOPMENT]]
