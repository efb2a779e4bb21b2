"""Reading how the bakery's recipes are laid out."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.people import READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN
from tests.tools.azure.inventing import answered, asking, refused

ACCOUNT: Final = f"{OVEN}/providers/Microsoft.DocumentDB/databaseAccounts/oven-recipes"


async def asked(tool: str, **arguments: Any) -> dict[str, Any]:
    async with asking(FakeAzure()) as caller:
        return await answered(caller, tool, **arguments)


@pytest.mark.parametrize("named", ["oven-recipes", "OVEN-Recipes", ACCOUNT, ACCOUNT.lower()])
async def test_an_account_is_shown_by_name_or_id(named: str) -> None:
    found = await asked("show_cosmosdb_account", account=named)
    assert (found["api"], found["consistency"], found["keys_allowed"]) == ("NoSQL", "Session", True)
    assert [one["name"] for one in found["regions"]] == ["West Europe", "North Europe"]
    assert found["backup"] == {"type": "Periodic", "every_minutes": 240, "kept_hours": 8, "redundancy": "Geo"}


async def test_throughput_is_told_where_it_stands() -> None:
    found = {
        one["name"]: one["throughput"] for one in (await asked("list_cosmosdb_databases", account=ACCOUNT))["items"]
    }
    assert (found["recipes"]["mode"], found["recipes"]["up_to"]) == ("autoscale", 4000)
    assert found["baking"].startswith("not shared")
    items = {one["name"]: one for one in (await asked("list_cosmosdb_containers", account=ACCOUNT))["items"]}
    assert items["breads"]["throughput_of_database"]["up_to"] == 4000
    assert items["batches"]["throughput"]["request_units"] == 1000


async def test_a_container_is_shown_with_all_of_its_indexing() -> None:
    found = await asked("list_cosmosdb_containers", account=ACCOUNT, database="recipes", container="breads")
    assert found["items"][0]["indexing"]["excluded"] == ['/"_etag"/?', "/steps/*"]


async def test_a_database_that_fails_is_named_and_the_others_are_told() -> None:
    azure = FakeAzure()
    azure.places["/sqlDatabases/baking/containers"] = troubles.failing(403, "Forbidden", "No.")
    async with asking(azure) as caller:
        found = await answered(caller, "list_cosmosdb_containers", account=ACCOUNT)
    assert [one["name"] for one in found["items"]] == ["breads"]
    assert [one["names"] for one in found["notRead"]] == [["baking"]]


async def test_no_key_is_ever_asked_for() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        for tool in ("show_cosmosdb_account", "list_cosmosdb_databases", "list_cosmosdb_containers"):
            await answered(caller, tool, account=ACCOUNT)
    assert {one.method for one in azure.asked} == {"GET"}
    assert [one.path for one in azure.asked if "keys" in one.path.lower()] == []


async def test_ids_in_a_list_lead_to_no_other_account() -> None:
    azure = FakeAzure()
    elsewhere = "/subscriptions/22222222-2222-2222-2222-222222222222/resourceGroups/x"
    listed = json.dumps({"value": [{"id": elsewhere, "name": "breads"}]}).encode()
    azure.places["/sqlDatabases/recipes/containers"] = troubles.answering(200, listed)
    async with asking(azure) as caller:
        await answered(caller, "list_cosmosdb_containers", account=ACCOUNT)
    assert [one.path for one in azure.asked if "22222222" in one.path] == []


async def test_who_may_not_see_it_is_told_which_role_would_do() -> None:
    async with asking(FakeAzure(), who=READER) as caller:
        assert "The request requires the role 'Reader'" in await refused(
            caller, "show_cosmosdb_account", account=ACCOUNT
        )
