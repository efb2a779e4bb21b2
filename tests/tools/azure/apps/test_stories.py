"""Reading what runs at the bakery: how it is, what was deployed to it, and why some of it is ill."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.people import DEVELOPER, NOBODY, READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, SHOP
from tests.tools.azure.inventing import answered, asking, refused

ORDERS: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
WORKER: Final = f"{OVEN}/providers/Microsoft.App/containerApps/oven-worker"
# What the bakery's settings say, and no answer may.
VALUES: Final = (
    "invented-key-of-storage",
    "invented-payment-secret",
    "invented-db-password",
    "invented-log-password",
    "SecretUri",
    "https://shop.bakery.example.com",
)


async def asked(tool: str, **arguments: Any) -> dict[str, Any]:
    async with asking(FakeAzure()) as caller:
        return await answered(caller, tool, **arguments)


async def test_all_that_runs_is_one_list() -> None:
    found = await asked("list_apps")
    assert {one["name"]: one["kind"] for one in found["items"]} == {
        "oven-aks": "AKS cluster",
        "oven-api": "container app",
        "oven-worker": "container app",
        "shop-orders": "function app",
        "shop-web": "web app",
        "shop-dev-web": "web app",
    }
    assert [one["name"] for one in (await asked("list_apps", kind="container"))["items"]] == ["oven-api", "oven-worker"]


async def test_what_may_not_be_seen_is_left_out() -> None:
    async with asking(FakeAzure(), who=READER) as caller:
        found = await answered(caller, "list_apps")
    assert [one["name"] for one in found["items"]] == ["shop-orders", "shop-web"]


async def test_of_settings_only_names_are_told() -> None:
    found = await asked("show_app", app="shop-orders", settings=True)
    assert found["settings"] == [
        "FUNCTIONS_WORKER_RUNTIME",
        "AzureWebJobsStorage",
        "ORDERS_DB",
        "PAYMENT_KEY",
        "SHOP_URL",
    ]
    assert found["connection_strings"] == ["Orders"]


@pytest.mark.parametrize("app", ["shop-web", "shop-orders", "oven-api", "oven-worker", "oven-aks"])
async def test_no_value_of_a_setting_leaves_by_any_tool(app: str) -> None:
    is_site = app.startswith("shop")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("show_app", {"settings": is_site}),
        ("list_app_deployments", {}),
        ("list_app_instances", {}),
        ("show_app_logs", {}),
        ("diagnose_app", {}),
    ]
    async with asking(FakeAzure()) as caller:
        told = [json.dumps(await answered(caller, tool, app=app, **more)) for tool, more in calls]
    assert [value for value in VALUES for text in told if value in text] == []


async def test_settings_are_asked_for_only_when_they_are_wanted() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await answered(caller, "show_app", app="shop-orders")
        await answered(caller, "diagnose_app", app="shop-orders")
    assert [one.path for one in azure.asked if one.method == "POST" and "/config/" in one.path] == []


async def test_who_may_not_list_settings_sees_the_rest() -> None:
    async with asking(FakeAzure(), who=READER) as caller:
        found = await answered(caller, "show_app", app="shop-orders", settings=True)
    assert "settings" not in found
    assert found["notRead"][0]["names"] == ["settings", "connection_strings"]
    assert found["runtime"] == "PYTHON|3.9"


async def test_an_operator_of_websites_sees_their_names() -> None:
    async with asking(FakeAzure(), who=DEVELOPER) as caller:
        assert (await answered(caller, "show_app", app=ORDERS, settings=True))["connection_strings"] == ["Orders"]


async def test_a_failed_deployment_is_told_with_who_and_what_and_its_log() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        found = await answered(caller, "list_app_deployments", app="shop-orders")
        last = found["items"][0]
        log = await answered(caller, "list_app_deployments", app="shop-orders", deployment=last["id"])
    assert (last["state"], last["who"], last["id"][:8]) == ("failed", "bea", "8d5f0f7e")
    assert log["items"][-1]["message"] == "ERROR: No matching distribution found for ovens==9"
    assert log["items"][-1]["error"] is True


async def test_a_deployment_that_there_is_not_is_refused() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "list_app_deployments", app="shop-orders", deployment="none")
    assert "404" in told


@pytest.mark.parametrize(
    ("app", "gravity", "words"),
    [
        ("shop-orders", "failing", "The last deployment failed"),
        ("shop-orders", "failing", "vault secrets that the app cannot read"),
        ("shop-web", "failing", "1 of 2 instances are stopped"),
        ("oven-worker", "failing", "never became ready"),
        ("oven-worker", "failing", "1 of 2 replicas are not running"),
        ("oven-aks", "risk", "The pool bake runs version 1.30.11"),
        ("oven-aks", "risk", "maximum number of nodes"),
        ("shop-dev-web", "down", "The web app is stopped"),
    ],
)
async def test_why_an_app_is_ill_is_found_out(app: str, gravity: str, words: str) -> None:
    found = await asked("diagnose_app", app=app)
    assert [one["gravity"] for one in found["findings"] if words in one["what"]] == [gravity]


async def test_an_app_that_is_well_is_said_to_be() -> None:
    found = await asked("diagnose_app", app="oven-api")
    assert "findings" not in found
    assert found["said"].startswith("Found nothing unusual.")


async def test_what_could_not_be_looked_at_is_said() -> None:
    azure = FakeAzure()
    azure.places["/sites/shop-web/instances"] = troubles.broken
    async with asking(azure) as caller:
        found = await answered(caller, "diagnose_app", app="shop-web")
    assert found["notRead"][0]["names"] == ["instances"]
    assert "instances" not in found["looked_at"]


async def test_logs_are_the_last_lines_and_where_the_rest_is() -> None:
    found = await asked("show_app_logs", app="shop-web", lines=2)
    assert [line.partition(" ")[2] for line in found["lines"]] == [
        "[error] cannot reach shop-cache: Password=[withheld]",
        "GET /checkout 500",
    ]
    kept = await asked("show_app_logs", app="shop-orders")
    assert kept["workspaces"][0].endswith("/workspaces/bakery-logs")
    assert kept["queries"]["errors"].startswith(f'FunctionAppLogs | where _ResourceId =~ "{ORDERS}"')


async def test_a_slot_is_an_app_by_its_own_name() -> None:
    found = await asked("show_app", app="shop-web/staging")
    assert found["hosts"] == ["shop-web-staging.azurewebsites.net"]


async def test_an_app_that_several_have_is_not_guessed() -> None:
    azure = FakeAzure()
    twin = f"{OVEN}/providers/Microsoft.Web/sites/shop-web"
    found = azure.estate.resources[f"{SHOP}/providers/Microsoft.Web/sites/shop-web".lower()]
    azure.estate.add(type(found)({**found.document, "id": twin}, found.created, found.changed))
    async with asking(azure) as caller:
        told = await refused(caller, "show_app", app="shop-web")
    assert "Several apps have this name" in told
    assert twin in told


@pytest.mark.parametrize("name", ["nothing", 'a" or 1==1 //', "bakeryshop"])
async def test_a_name_that_no_app_has_is_told_so(name: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert "found in Bakery Production, Bakery Development, Bakery Shared: it does not exist" in await refused(
            caller, "show_app", app=name
        )


async def test_whoever_may_see_nothing_is_told_so() -> None:
    async with asking(FakeAzure(), who=NOBODY) as caller:
        assert "You cannot see any subscription" in await refused(caller, "list_apps")


async def test_a_plan_that_leads_elsewhere_is_not_followed() -> None:
    azure = FakeAzure()
    azure.estate.resources[ORDERS.lower()].properties["serverFarmId"] = f"{OVEN}/providers/Microsoft.KeyVault/vaults/x"
    async with asking(azure) as caller:
        found = await answered(caller, "show_app", app="shop-orders")
    assert "plan" not in found
    assert [one["names"] for one in found["notRead"]] == [["plan"]]
    assert [one.path for one in azure.asked if "vaults" in one.path] == []


async def test_environments_that_lead_elsewhere_are_not_followed() -> None:
    azure = FakeAzure()
    azure.estate.resources[WORKER.lower()].properties["managedEnvironmentId"] = "/subscriptions/../x"
    async with asking(azure) as caller:
        found = await answered(caller, "show_app_logs", app="oven-worker")
    assert [one["names"] for one in found["notRead"]] == [["where logs are kept"]]
