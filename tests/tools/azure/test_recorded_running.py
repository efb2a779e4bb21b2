"""What the real App Service, Container Apps, AKS, Cosmos DB and Service Bus were recorded to answer is understood."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.mcp_server.caller import Caller
from tests.tools.azure.data import recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted

pytestmark = with_data

SUBSCRIPTIONS: Final = {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}
PROVIDERS: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/web/providers"
SITE: Final = f"{PROVIDERS}/Microsoft.Web/sites/shop"
CONTAINERS: Final = f"{PROVIDERS}/Microsoft.App/containerApps/shop"
CLUSTER: Final = f"{PROVIDERS}/Microsoft.ContainerService/managedClusters/shop"
ACCOUNT: Final = f"{PROVIDERS}/Microsoft.DocumentDB/databaseAccounts/shop"
BUS: Final = f"{PROVIDERS}/Microsoft.ServiceBus/namespaces/shop"


def known(place: str) -> dict[str, Any]:
    return {"id": place, "name": "shop", "properties": {}}


def of(place: str) -> dict[str, str]:
    return {"app": place}


# What is asked, what comes before the recording, the recording, and what is told of each entry.
LISTS: Final[list[tuple[str, dict[str, Any], list[Any], str, set[str]]]] = [
    *(
        ("list_cosmosdb_accounts", {}, [SUBSCRIPTIONS], f"cosmos-mgmt/{name}", {"name", "id", "api", "regions"})
        for name in ("009-database-accounts-list-200", "011-database-accounts-list-200")
    ),
    *(
        ("list_servicebus_namespaces", {"max_results": 1}, [SUBSCRIPTIONS], f"servicebus/{name}", {"name", "id", "sku"})
        for name in ("007-namespaces-list-200", "009-namespaces-list-200")
    ),
    (
        "list_apps",
        {"kind": "container"},
        [SUBSCRIPTIONS],
        "containerapps/018-container-apps-list-by-resource-group-200",
        {"name", "kind"},
    ),
    ("list_apps", {"kind": "aks"}, [SUBSCRIPTIONS], "aks/019-managed-clusters-list-200", {"name", "runtime"}),
    (
        "list_app_deployments",
        of(CONTAINERS),
        [known(CONTAINERS)],
        "containerapps/009-container-apps-revisions-list-revisions-200",
        {"id", "at", "state", "image"},
    ),
    (
        "list_app_deployments",
        of(CONTAINERS),
        [known(CONTAINERS)],
        "containerapps/011-container-apps-revisions-list-revisions-200",
        {"id", "at", "state", "image"},
    ),
    (
        "list_app_instances",
        of(SITE),
        [known(SITE)],
        "appservice/036-web-apps-list-instance-identifiers-200",
        {"name", "state"},
    ),
    (
        "list_app_instances",
        of(CLUSTER),
        [known(CLUSTER)],
        "aks/007-agent-pools-list-200",
        {"name", "nodes", "version", "power"},
    ),
    ("list_app_instances", of(CLUSTER), [known(CLUSTER)], "aks/009-agent-pools-list-200", {"name", "nodes", "version"}),
]
RECORDS: Final[list[tuple[str, dict[str, Any], list[Any], str, set[str]]]] = [
    (
        "show_cosmosdb_account",
        {"account": ACCOUNT},
        [],
        "cosmos-mgmt/003-database-accounts-get-200",
        {"api", "regions", "backup", "consistency"},
    ),
    (
        "show_cosmosdb_account",
        {"account": ACCOUNT},
        [],
        "cosmos-mgmt/005-database-accounts-get-200",
        {"api", "regions", "consistency"},
    ),
    (
        "show_servicebus_entity",
        {"namespace": BUS, "entity": "a"},
        [known(BUS)],
        "servicebus/019-queues-get-200",
        {"kind", "status", "lock"},
    ),
    ("show_app", of(CLUSTER), [], "aks/011-managed-clusters-get-200", {"version", "pools", "api_server"}),
    (
        "show_app",
        of(CONTAINERS),
        [],
        "containerapps/012-container-apps-get-200",
        {"containers", "scale", "hosts", "latest_revision"},
    ),
    ("show_app", of(CONTAINERS), [], "containerapps/014-container-apps-get-200", {"containers", "scale"}),
    ("show_app", of(SITE), [], "appservice/012-web-apps-get-200", {"state", "hosts"}),
    ("show_app", of(SITE), [], "appservice/014-web-apps-get-200", {"state", "hosts"}),
]


async def told(player: Caller, scripted: Scripted, tool: str, arguments: dict[str, Any], replies: list[Any]) -> Any:
    scripted.play(
        Case("recorded", tool, arguments, [{"request": "any", "reply": one} for one in replies], None, None),
        by_turns=True,
    )
    return await player.call(tool, **arguments)


@pytest.mark.parametrize(("tool", "arguments", "before", "name", "shown"), LISTS)
async def test_a_recorded_list_is_understood(
    tool: str,
    arguments: dict[str, Any],
    before: list[Any],
    name: str,
    shown: set[str],
    scripted: Scripted,
    player: Caller,
) -> None:
    body = recorded(name)["response"]["body"]
    result = await told(player, scripted, tool, arguments, [*before, body])
    assert not result["isError"], result["content"][0]["text"]
    items = result["structuredContent"]["items"]
    assert 0 < len(items) <= len(body["value"])
    assert [item for item in items if not shown <= item.keys()] == []


@pytest.mark.parametrize(("tool", "arguments", "before", "name", "shown"), RECORDS)
async def test_a_recorded_resource_is_understood(
    tool: str,
    arguments: dict[str, Any],
    before: list[Any],
    name: str,
    shown: set[str],
    scripted: Scripted,
    player: Caller,
) -> None:
    body = recorded(name)["response"]["body"]
    result = await told(player, scripted, tool, arguments, [*before, body])
    assert not result["isError"], result["content"][0]["text"]
    assert shown <= result["structuredContent"].keys()


@pytest.mark.parametrize(
    "name",
    [
        "026-web-apps-list-application-settings-200",
        "028-web-apps-list-application-settings-200",
        "034-web-apps-list-connection-strings-200",
    ],
)
async def test_of_recorded_settings_only_names_are_told(name: str, scripted: Scripted, player: Caller) -> None:
    body = recorded(f"appservice/{name}")["response"]["body"]
    # Whatever is asked besides, it is answered with settings, too.
    replies = [known(SITE), *[body] * 12]
    result = await told(player, scripted, "show_app", {"app": SITE, "settings": True}, replies)
    found, text = result["structuredContent"], result["content"][0]["text"]
    assert found["settings"] == found["connection_strings"] == list(body["properties"])
    values = [str(value) for value in body["properties"].values() if len(str(value)) > 6]
    assert [value for value in values if value in text] == []
