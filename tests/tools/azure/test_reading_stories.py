"""What has no tool of its own is found by words, and read by its path, from an invented Azure."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from azure_operations.index import OperationsIndex
from azure_operations.index_builder import build_index
from azure_operations.index_format import FORMAT
from azure_operations.keeping import OperationsOutcome, OperationsStore, Reader
from clients.azure.client import Azure
from clients.azure.cloud import cloud_named
from clients.azure.connection import AzureConnection
from clients.folder_storage import FolderStorage
from tests.fakes.azure.people import NOBODY, OWNER, READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import answered, asking, ids, refused
from tools.azure.settings import AzureSettings

pytestmark = pytest.mark.anyio

SQL: Final = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql"


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


async def filled(caller: Caller, words: str, group: str) -> str:
    """The path of the list of what the words find, in this group."""
    found = await answered(caller, "find_azure_operation", query=words, kind="read")
    path: str = ids(found, "path")[0].rpartition("/")[0]
    return group + path.partition("{resourceGroup}")[2]


async def test_where_paths_are_cut_the_way_to_use_them_says_so(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        several = await answered(caller, "find_azure_operation", query="databases of an azure sql server", kind="read")
        one = await answered(caller, "find_azure_operation", query="azure sql server", kind="read", max_results=1)
    assert several["how"].endswith("Put the text of `idsBeginWith` in front of each path.")
    assert "idsBeginWith" not in one["how"]


async def test_databases_of_a_server_are_found_and_read_in_two_calls(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        path = (await filled(caller, "databases of an azure sql server", SHOP)).replace("{name}", "shop-sql")
        found = await answered(caller, "read_azure", path=path)
    assert path == f"{SQL}/databases"
    assert found["items"]
    assert all(item["id"].lower().startswith(SQL.lower()) for item in found["items"])


async def test_a_resource_is_read_whole_in_whatever_case_its_path_is(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        found = await answered(caller, "read_azure", path=SQL.upper().replace(PRODUCTION.upper(), PRODUCTION))
    assert found["result"]["name"] == "shop-sql"


async def test_nothing_but_reading_is_ever_sent(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        for path in (SQL, f"{SQL}/databases", f"{SQL}/listKeys", f"{SHOP}/resources", f"{SQL}/failover"):
            await caller.call("read_azure", path=path)
    assert {asked.method for asked in azure.asked} == {"GET"}


async def test_who_may_not_see_it_is_told_so(azure: FakeAzure) -> None:
    async with asking(azure, NOBODY) as caller:
        assert "403" in await refused(caller, "read_azure", path=SQL)


async def test_a_lock_holds_for_any_path(azure: FakeAzure) -> None:
    locked = AzureSettings(allowed_groups=frozenset({"shop-prod"}))
    async with asking(azure, OWNER, locked) as caller:
        assert (await answered(caller, "read_azure", path=SHOP))["result"]["name"] == "shop-prod"
        for path in (OVEN, OVEN.upper(), f"{OVEN}/resources", f"{SHOP}/../oven-prod"):
            await refused(caller, "read_azure", path=path)
        groups = await answered(caller, "read_azure", path=f"/subscriptions/{PRODUCTION}/resourceGroups")
        tags = await answered(caller, "read_azure", path=f"/subscriptions/{PRODUCTION}/tagNames")
    assert [item["name"] for item in groups["items"]] == ["shop-prod"]
    assert groups["out_of_reach"]
    assert tags["items"] == []


async def test_what_azure_tells_is_read_and_found(azure: FakeAzure, tmp_path: Path) -> None:
    async def authorize(_scope: str) -> str:
        return f"Bearer {READER.token}"

    store = OperationsStore(FolderStorage(tmp_path))
    async with azure.serving() as url, AzureConnection(transport=HastyTransport()) as connection:
        client = Azure(connection, cloud_named(url), authorize)
        report = await Reader(client, store, build_index, FORMAT).run()
    assert report.outcome is OperationsOutcome.BUILT, report
    published = await store.published()
    content = await store.index(published.index or "")
    assert content
    assert OperationsIndex.open(content).find("web app slots", 1)
