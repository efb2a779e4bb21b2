"""Accounts and containers of the bakery are made and deleted as they were shown; what holds them is said before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.contents import fill
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import SHOP
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep, pairs
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.team import ASKING, Team, team
from tools.azure.settings import AzureSettings

GROUP: Final = SHOP.rpartition("/")[2]
NEW: Final = {"account": "bakerynew", "resource_group": GROUP, "location": "westeurope"}
CATALOG: Final = {"account": "bakeryshop", "container": "catalog"}
PRICES: Final = {**CATALOG, "blob": "prices.csv"}
ACCOUNTS: Final = f"{SHOP}/providers/Microsoft.Storage/storageAccounts"
LOST: Final = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout, troubles.no_json]


class Bakery:
    """Its Azure with what its accounts hold, which Resource Manager tells as well."""

    def __init__(self) -> None:
        self.azure, self.storage = FakeAzure(), FakeStorage()
        fill(self.storage, datetime.now(UTC))
        self.storage.account("bakeryshop").blob.containers.pop("logs", None)
        self.azure.stored.hold("bakeryshop", "catalog")

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        async with self.storage.serving():
            self.azure.point_storage_to("bakeryshop", self.storage.endpoints("bakeryshop"))
            yield

    @asynccontextmanager
    async def asking(self, settings: AzureSettings | None = None) -> AsyncIterator[Caller]:
        async with self.serving(), asking(self.azure, OWNER, settings) as caller:
            yield caller

    @asynccontextmanager
    async def team(self, *rules: Any) -> AsyncIterator[Team]:
        async with self.serving(), team(self.azure, *rules) as here:
            yield here

    @property
    def written(self) -> list[str]:
        own = [one for one in self.azure.asked if one.method not in {"GET", "HEAD"}]
        data = [one for one in self.storage.asked if one.method not in {"GET", "HEAD"}]
        return [
            *(one.path for one in own if "ResourceGraph" not in one.path and "checkName" not in one.path),
            *(one.path for one in data),
        ]


@pytest.fixture
def bakery() -> Bakery:
    return Bakery()


CHANGES: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "create_storage_account": (NEW, "PUT", "/storageAccounts/bakerynew"),
    "delete_storage_account": ({"account": "bakeryreceipts"}, "DELETE", "/storageAccounts/bakeryreceipts"),
    "create_container": ({"account": "bakeryshop", "container": "fresh"}, "PUT", "/containers/fresh"),
    "delete_container": (CATALOG, "DELETE", "/containers/catalog"),
}
OF_BLOBS: Final[dict[str, dict[str, Any]]] = {
    "upload_blob": {**PRICES, "text": "bread,4\n", "overwrite": True},
    "delete_blob": PRICES,
    "undelete_blob": {**CATALOG, "blob": "gone.csv"},
    "set_blob_tier": {**PRICES, "tier": "Cool"},
}


@pytest.mark.parametrize("tool", CHANGES)
async def test_each_is_done(bakery: Bakery, tool: str) -> None:
    async with bakery.asking() as caller:
        assert (await answered(caller, tool, **CHANGES[tool][0]))["status"] == "done"
    assert len(bakery.written) == 1


@Sweep(("tool", "trouble"), pairs(CHANGES, LOST), every=len(LOST))
@pytest.mark.parametrize("is_done", [True, False])
async def test_a_lost_answer_is_found_out_and_nothing_is_sent_again(
    bakery: Bakery, tool: str, trouble: Trouble, is_done: bool
) -> None:
    arguments, method, part = CHANGES[tool]
    bakery.azure.accidents.append(Accident(method, part, trouble, is_done=is_done))
    async with bakery.asking() as caller:
        if is_done:
            told = await answered(caller, tool, **arguments)
            assert told["status"] == "done" or "Do not repeat the call" in told["note"]
        else:
            assert "most likely not applied" in await refused(caller, tool, **arguments)
    assert len(bakery.written) == 1


@Sweep("tool", [*CHANGES, *OF_BLOBS], every=3)
async def test_each_tells_before_it_is_done_where_it_is_and_what_there_is(bakery: Bakery, tool: str) -> None:
    arguments = OF_BLOBS.get(tool) or CHANGES[tool][0]
    bakery.azure.stored.keep_deleted("bakeryshop", 7)
    async with bakery.team(ASKING) as here:
        blobs = bakery.storage.account("bakeryshop").blob.containers["catalog"]
        blobs.deleted["gone.csv"] = blobs.blobs["prices.csv"]
        words = await here.member("ada").told(tool, **arguments)
        shown = await here.shown(words)
        assert shown.is_complete, shown.missing
        assert shown.places["resource-group"] == [GROUP]
        assert len([value for value in shown.facts.values() if value not in arguments.values()]) >= 2
        assert bakery.written == []
        assert (await here.shown(await here.member("ada").told(tool, **arguments))).document == shown.document
        await here.decides("bea", words)
        done = await here.member("ada").call(tool, **arguments)
        assert not done["isError"], done
    assert len(bakery.written) == 1


async def test_what_is_overwritten_is_what_was_shown(bakery: Bakery) -> None:
    bakery.azure.stored.keep_deleted("bakeryshop", 7)
    async with bakery.team() as here:
        ada = here.member("ada")
        words = await ada.told("upload_blob", **OF_BLOBS["upload_blob"])
        shown = await here.shown(words)
        assert shown.facts["kept afterwards"] == "for 7 days"
        assert ("size", 47, 8) in [(one.path, one.before, one.after) for one in shown.edits]
        await here.decides("ada", words)
        # Somebody else writes it meanwhile.
        await ada.call("upload_blob", **CATALOG, blob="other.csv", text="x")
        blobs = bakery.storage.account("bakeryshop").blob.containers["catalog"].blobs
        blobs["prices.csv"] = blobs["other.csv"]
        assert "a different effect than the preview" in await ada.told("upload_blob", **OF_BLOBS["upload_blob"])
        assert blobs["prices.csv"].content == b"x"


async def test_where_nothing_is_overwritten_nobody_has_to_agree(bakery: Bakery) -> None:
    async with bakery.team() as here:
        new = {**CATALOG, "blob": "new.csv", "text": "x", "overwrite": True}
        assert not (await here.member("ada").call("upload_blob", **new))["isError"]


async def test_what_nobody_can_restore_takes_another_person(bakery: Bakery) -> None:
    async with bakery.team() as here:
        for tool, arguments in (
            ("delete_blob", PRICES),
            ("delete_container", CATALOG),
            ("delete_storage_account", {"account": "bakeryreceipts"}),
        ):
            words = await here.member("ada").told(tool, **arguments)
            assert "Another person" in words, words
        bakery.azure.stored.keep_deleted("bakeryshop", 7)
        assert "Another person" not in await here.member("ada").told("delete_blob", **PRICES)
        assert "Another person" not in await here.member("ada").told("delete_container", **CATALOG)


async def test_a_lock_is_said_before_anything_is_tried(bakery: Bakery) -> None:
    bakery.azure.tags_and_locks.lock(f"{ACCOUNTS}/bakeryshop", "CanNotDelete", "keep", "Ask the platform team first.")
    async with bakery.team(ASKING) as here:
        for tool, arguments in (("delete_storage_account", {"account": "bakeryshop"}), ("delete_container", CATALOG)):
            assert "Cannot delete the resource because of these locks: 'keep'" in await here.member("ada").told(
                tool, **arguments
            )
    assert bakery.written == []


async def test_who_uses_an_account_is_told_before_it_goes(bakery: Bakery) -> None:
    site = bakery.azure.estate.resources[f"{SHOP}/providers/Microsoft.Web/sites/shop-web".lower()]
    site.properties["logs"] = "https://bakeryshop.blob.core.windows.net/logs"
    async with bakery.team(ASKING) as here:
        shown = await here.shown(await here.member("ada").told("delete_storage_account", account="bakeryshop"))
    assert shown.facts["used by"] == ["shop-web (Microsoft.Web/sites)"]
    assert shown.facts["their names"] == ["catalog"]


async def test_names_that_are_taken_are_said_before(bakery: Bakery) -> None:
    async with bakery.asking() as caller:
        taken = {**NEW, "account": "millflour"}
        assert "is already used in Azure" in await refused(caller, "create_storage_account", **taken)
        there = {**NEW, "account": "bakeryshop"}
        assert "already exists" in await refused(caller, "create_storage_account", **there)
        assert "already exists" in await refused(caller, "create_container", **CATALOG)
    assert bakery.written == []


async def test_a_new_account_has_secure_settings(bakery: Bakery) -> None:
    async with bakery.asking() as caller:
        await answered(caller, "create_storage_account", **NEW)
    made = bakery.azure.estate.resources[f"{ACCOUNTS}/bakerynew".lower()].properties
    assert made["minimumTlsVersion"] == "TLS1_2"
    assert (made["allowBlobPublicAccess"], made["allowSharedKeyAccess"]) == (False, False)
    assert made["supportsHttpsTrafficOnly"] is True


async def test_out_of_reach_nothing_is_changed(bakery: Bakery) -> None:
    settings = AzureSettings(subscription="Bakery Production", allowed_groups=frozenset({"oven-prod"}))
    async with bakery.asking(settings) as caller:
        for name in ("bakeryshop", f"{ACCOUNTS}/bakeryshop"):
            for tool, more in (
                ("delete_storage_account", {}),
                ("create_container", {"container": "fresh"}),
                ("upload_blob", {"container": "catalog", "blob": "x", "text": "y"}),
            ):
                told = await refused(caller, tool, account=name, **more)
                assert "No storage account" in told or "outside the allowed scope" in told
        assert "Could not search" in await refused(caller, "create_storage_account", **NEW)
        inside = {**NEW, "resource_group": "oven-prod"}
        assert (await answered(caller, "create_storage_account", **inside))["status"] == "done"
    assert len(bakery.written) == 1


@pytest.mark.parametrize("name", ["../x", "a/b", "UPPER", "a", "x" * 25, "ab\ncd", "ab%2fcd"])
async def test_a_name_that_no_account_has_is_refused(bakery: Bakery, name: str) -> None:
    async with bakery.asking() as caller:
        assert "account: " in await refused(caller, "create_storage_account", **{**NEW, "account": name})
    assert bakery.azure.asked == []
