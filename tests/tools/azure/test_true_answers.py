"""What Azure tools answer is as things are now, by their own names, and without the rows that nobody can read."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

import pytest

from tests.fakes.azure.estate import Resource
from tests.fakes.azure.people import NOBODY, OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.tools.azure.inventing import answered, asking, refused

MIXED: Final = "Rg-WEU-Prod-AppSvc-B2B-Api01-Blue"
WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
GENERATED: Final = "vm_deploy_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF"


def copied(azure: FakeAzure, original: str, new: str) -> Resource:
    """The same resource once more, with another id."""
    found = azure.estate.resources[original.lower()]
    document: dict[str, Any] = {**deepcopy(found.document), "id": new, "name": new.rpartition("/")[2]}
    return azure.estate.add(Resource(document, found.created, found.changed))


def with_mixed_group() -> FakeAzure:
    azure = FakeAzure()
    place = f"/subscriptions/{PRODUCTION}/resourceGroups/{MIXED}"
    azure.estate.groups[place.lower()] = {
        **deepcopy(azure.estate.groups[SHOP.lower()]),
        "id": place,
        "name": MIXED,
    }
    copied(azure, WEB, f"{place}/providers/Microsoft.Web/sites/Api01")
    return azure


async def test_a_group_whose_name_looks_random_is_shown_with_what_is_in_it() -> None:
    async with asking(with_mixed_group()) as caller:
        apps = await answered(caller, "list_apps")
        groups = await answered(caller, "list_resource_groups")
        shown = await answered(caller, "show_app", app="Api01")
    assert MIXED in {one["group"] for one in apps["items"]}
    assert MIXED in {one["name"] for one in groups["items"]}
    assert shown["id"] == f"/subscriptions/{PRODUCTION}/resourceGroups/{MIXED}/providers/Microsoft.Web/sites/Api01"


async def test_a_deployment_that_az_named_is_shown() -> None:
    azure = FakeAzure()
    key, found = next((key, one) for key, one in azure.estate.deployments.items() if key.startswith(SHOP.lower()))
    place = f"{found['id'].rpartition('/')[0]}/{GENERATED}"
    azure.estate.deployments[place.lower()] = {**deepcopy(found), "id": place, "name": GENERATED}
    azure.estate.operations[place.lower()] = azure.estate.operations.get(key, [])
    async with asking(azure) as caller:
        listed = await answered(caller, "list_azure_deployments", resource_group="shop-prod")
    assert GENERATED in {one["id"].rpartition("/")[2] for one in listed["items"]}


async def test_plain_outputs_of_a_deployment_are_shown_and_secrets_are_not() -> None:
    azure = FakeAzure()
    found = next(one for key, one in azure.estate.deployments.items() if key.startswith(SHOP.lower()))
    found["properties"]["outputs"] = {
        "endpoint": {"type": "String", "value": "https://shop-web.azurewebsites.net"},
        "registry": {"type": "String", "value": "crk7h3kd2qz4m5ka.azurecr.io"},
        "apiKey": {"type": "String", "value": "hunter2hunter2"},
    }
    async with asking(azure) as caller:
        shown = await answered(caller, "show_azure_deployment", name=found["name"], resource_group="shop-prod")
    text = str(shown)
    assert "https://shop-web.azurewebsites.net" in text
    assert "crk7h3kd2qz4m5ka.azurecr.io" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("tool", "original"),
    [
        ("list_apps", WEB),
        ("list_storage_accounts", "Microsoft.Storage/storageAccounts"),
        ("list_keyvaults", "Microsoft.KeyVault/vaults"),
        ("list_cosmosdb_accounts", "Microsoft.DocumentDB/databaseAccounts"),
        ("list_servicebus_namespaces", "Microsoft.ServiceBus/namespaces"),
    ],
)
async def test_a_row_whose_id_cannot_be_read_is_skipped_and_counted(tool: str, original: str) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        before = await answered(caller, tool)
        first = next(
            one.id
            for key, one in azure.estate.resources.items()
            if original.lower() in key and PRODUCTION in key and key.count("/") == 8
        )
        copied(azure, first, f"{first}%2Fodd")
    async with asking(azure) as caller:
        after = await answered(caller, tool)
    assert after["items"] == before["items"]
    assert after["skipped_unreadable_id"] == 1


async def test_a_certificate_with_its_own_subject_is_shown() -> None:
    async with asking(FakeAzure()) as caller:
        found = await answered(caller, "show_keyvault_certificate", vault="shop-secrets", name="shop-site")
    assert found["subject"] == "CN=shop.bakery.example.com"


@pytest.mark.parametrize("tool", ["show_app", "diagnose_app"])
async def test_the_state_of_an_app_is_as_it_is_now(tool: str) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        first = await answered(caller, tool, app="shop-web")
        azure.estate.resources[WEB.lower()].properties["state"] = "Stopped"
        second = await answered(caller, tool, app="shop-web")
    assert "Stopped" not in str(first)
    assert "Stopped" in str(second)


@pytest.mark.parametrize("tool", ["show_app", "diagnose_app", "list_app_instances", "show_app_logs"])
async def test_an_app_is_read_for_each_answer(tool: str) -> None:
    azure, times = FakeAzure(), []
    async with asking(azure) as caller:
        for _ in range(2):
            azure.asked.clear()
            await answered(caller, tool, app="shop-web")
            times.append(sum(one.path.lower() == WEB.lower() for one in azure.asked))
    assert all(times), times


@pytest.mark.parametrize(
    ("tool", "argument", "type_", "path"),
    [
        ("show_storage_account", "account", "microsoft.storage/storageaccounts/", "publicNetworkAccess"),
        ("show_cosmosdb_account", "account", "microsoft.documentdb/databaseaccounts/", "publicNetworkAccess"),
        ("show_servicebus_namespace", "namespace", "microsoft.servicebus/namespaces/", "status"),
    ],
)
async def test_the_state_of_an_account_is_as_it_is_now(tool: str, argument: str, type_: str, path: str) -> None:
    azure = FakeAzure()
    found = next(one for key, one in azure.estate.resources.items() if type_ in key and PRODUCTION in key)
    async with asking(azure) as caller:
        for value in ("Enabled", "Disabled"):
            found.properties[path] = value
            shown = await answered(caller, tool, **{argument: found.id})
            assert value in str(shown), shown


@pytest.mark.parametrize("path", ["/subscriptions", "/tenants", "/providers", "/Subscriptions/"])
async def test_what_there_is_in_all_of_azure_is_read_by_its_path(path: str) -> None:
    async with asking(FakeAzure()) as caller:
        found = await answered(caller, "read_azure", path=path, max_results=3)
    assert found["count"]


async def test_a_parameter_that_is_called_list_something_is_sent() -> None:
    azure = FakeAzure()
    path = f"/subscriptions/{PRODUCTION}/resourceGroups"
    async with asking(azure) as caller:
        await answered(caller, "read_azure", path=path, query={"listViewType": "ActiveOnly"})
        told = await refused(caller, "read_azure", path=path, query={"$expand": "listKeys"})
    assert any("ActiveOnly" in one.query.values() for one in azure.asked)
    assert "secrets" in told


async def test_a_stack_is_not_deleted_like_a_resource() -> None:
    stack = f"{SHOP}/providers/Microsoft.Resources/deploymentStacks/shop"
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "delete_azure_resource", resource_id=stack)
    assert "delete_deployment_stack" in told
    assert azure.asked == []


async def test_a_role_is_needed_where_an_assignment_holds() -> None:
    assignment = f"{SHOP}/providers/Microsoft.Authorization/roleAssignments/11111111-1111-1111-1111-111111111111"
    async with asking(FakeAzure(), who=NOBODY) as caller:
        told = await refused(caller, "read_azure", path=assignment, api_version="2022-04-01")
    assert f"on {SHOP}." in told


@pytest.mark.parametrize(
    ("action", "allowed"),
    [
        ("Microsoft.KeyVault/vaults/secrets/getSecret/nosuch/action", "unknown"),
        ("Microsoft.Nowhere/things/read", "unknown"),
        ("Microsoft.Web/sites/restart/action", True),
    ],
)
async def test_an_action_that_azure_does_not_list_is_never_said_to_be_allowed(action: str, allowed: Any) -> None:
    async with asking(FakeAzure()) as caller:
        here = {"subscription": "Bakery Production", "action": action}
        mine = await answered(caller, "show_my_access", **here)
        anybodys = await answered(caller, "show_access", person=OWNER.id, **here)
        everywhere = await answered(caller, "show_access", person=OWNER.id, action=action)
    assert (mine["allowed"], anybodys["allowed"], everywhere["items"][0]["allowed"]) == (allowed, allowed, allowed)
    assert ("doubt" in mine) == (allowed == "unknown")


async def test_accounts_show_who_gets_in_and_what_follows() -> None:
    azure = FakeAzure()
    found = next(
        one for key, one in azure.estate.resources.items() if "/storageaccounts/" in key and SHOP.lower() in key
    )
    found.properties.update({"publicNetworkAccess": "Enabled", "allowBlobPublicAccess": True, "networkAcls": None})
    for name in ("minimumTlsVersion", "allowSharedKeyAccess"):
        found.properties.pop(name, None)
    async with asking(azure) as caller:
        listed = await answered(caller, "list_storage_accounts")
        shown = await answered(caller, "show_storage_account", account=found.id)
    access = {"public_network_access": "Enabled", "public_blobs_allowed": True, "shared_keys_allowed": True}
    own = next(one for one in listed["items"] if one["name"] == found.document["name"])
    for one in (own, shown):
        assert access.items() <= one.items()
        assert one["minimum_tls"] == "TLS1_0"
    assert len(shown["implies"]) == 4


@pytest.mark.parametrize(
    ("about", "words", "following"),
    [
        ("virtual_machines", "still billed", "list_advisor_recommendations"),
        ("open_ports", "who changed", "list_resource_changes"),
    ],
)
async def test_an_overview_says_what_follows_and_what_to_call_next(about: str, words: str, following: str) -> None:
    async with asking(FakeAzure()) as caller:
        told = await answered(caller, "survey_resources", about=about)
        assert words in told["note"]
        assert told["next"]["tool"] == following
        assert (await answered(caller, following, **told["next"]["arguments"]))["count"]


async def test_a_resource_that_cannot_be_seen_is_said_so() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "show_resource", resource_id=f"{SHOP}/providers/Microsoft.Web/sites/nowhere")
    assert "it does not exist, or you do not have access" in told
