"""How an account is found, and that its data are read only where its resource says."""

from __future__ import annotations

from tests.fakes.azure.stored.service import FakeStorage
from tests.tools.azure.storage.place import SUBSCRIPTION, Place, fake_place


async def test_an_account_is_found_by_its_name_and_by_its_id(invented: Place) -> None:
    by_name = await invented.call("show_storage_account")
    again = await invented.caller.call("show_storage_account", account=invented.record["id"])
    assert again["structuredContent"] == by_name
    assert (await invented.caller.call("list_containers", account=invented.record["id"]))["isError"] is False


async def test_an_account_that_is_not_there_names_those_that_are(invented: Place) -> None:
    told = await invented.told("list_containers", account="elsewhere")
    assert "No storage account 'elsewhere'" in told
    assert "bakeryshop" in told


async def test_an_id_of_something_else_is_refused(invented: Place) -> None:
    other = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.KeyVault/vaults/a"
    assert "Not the id of a storage account" in await invented.told("list_containers", account=other)


async def test_data_are_not_read_where_a_resource_leads_elsewhere() -> None:
    storage = FakeStorage()
    async with fake_place(storage) as place:
        before = len(storage.asked)
        place.record["properties"]["primaryEndpoints"]["blob"] = "https://storage.example.com/"
        assert "not in this cloud" in await place.told("list_containers")
        assert len(storage.asked) == before


async def test_an_account_without_queues_says_so() -> None:
    async with fake_place(FakeStorage()) as place:
        del place.record["properties"]["primaryEndpoints"]["queue"]
        told = await place.told("list_storage_queues")
    assert "has no queues: StorageV2 Standard_LRS accounts do not support them" in told
