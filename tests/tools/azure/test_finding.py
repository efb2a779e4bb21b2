"""`find_azure_operation` while there is no index, when it is old, and when its storage is away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web

from clients.azure.cloud import CLOUDS
from clients.folder_storage import FolderStorage
from clients.storage import Storage, StorageError
from tests.azure_operations.catalogue import known
from tests.azure_operations.telling import Telling, failing
from tests.fakes.serving import serving_locally
from tests.fakes.transport import Elsewhere
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import HOSTS, SignedIn, calling
from tests.tools.azure.golden import SUBSCRIPTION
from tests.tools.azure.known_operations import operations_of, publish
from tools.azure.access import AzureAccess
from tools.azure.provider import access
from tools.azure.settings import AzureSettings
from tools.provider import Supplies

pytestmark = pytest.mark.anyio

SETTINGS = AzureSettings(subscription=SUBSCRIPTION)


@pytest.fixture
def telling() -> Telling:
    return Telling(list(known().values()))


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return FolderStorage(tmp_path)


@asynccontextmanager
async def caller(telling: Telling, storage: Storage) -> AsyncIterator[Caller]:
    async with (
        serving_locally(telling.handle) as url,
        calling(Elsewhere(url, *HOSTS), SETTINGS, storage=lambda _purpose: storage) as someone,
    ):
        yield someone


@asynccontextmanager
async def opened(telling: Telling, storage: Storage) -> AsyncIterator[tuple[AzureAccess, SignedIn]]:
    own = SignedIn("own")
    supplies = Supplies(lambda: cast("Any", own), lambda _purpose: storage, cast("Any", None), CLOUDS["public"])
    async with serving_locally(telling.handle) as url, access(SETTINGS, supplies, Elsewhere(url, *HOSTS)) as found:
        yield found, own


async def find(someone: Caller, **arguments: Any) -> tuple[bool, str, list[dict[str, Any]]]:
    result = await someone.call("find_azure_operation", **arguments)
    items = (result.get("structuredContent") or {}).get("items", [])
    return result["isError"], result["content"][0]["text"], items


async def test_while_there_is_no_index_it_is_built_and_who_asks_is_told_what_to_do(
    telling: Telling, storage: Storage
) -> None:
    telling.going_on.clear()
    async with caller(telling, storage) as someone:
        failed, text, _ = await find(someone, query="vm")
        telling.going_on.set()
    assert failed
    assert "The index of all operations is being built. Building the index takes a minute or two." in text
    assert "pass `namespace`, for example Microsoft.Compute" in text


async def test_until_then_the_types_of_a_named_provider_are_found(telling: Telling, storage: Storage) -> None:
    telling.going_on.clear()
    async with caller(telling, storage) as someone:
        failed, text, items = await find(someone, query="vm instance view", namespace="microsoft.compute")
        telling.going_on.set()
    assert not failed
    assert items[0]["operation"] == "Microsoft.Compute/virtualMachines/instanceView/read"
    assert items[0]["path"].endswith("/virtualMachines/{name}/instanceView/{instanceView}")
    assert "is being built" in text
    assert "its other operations are not indexed yet" in text


async def test_what_was_built_in_the_background_is_found_by_whoever_asks_next(
    telling: Telling, storage: Storage
) -> None:
    async with opened(telling, storage) as (azure, own):
        library = azure.operations()
        assert await library.edition() is None
        await library.settled()
        edition = await library.edition()
        assert edition
        assert edition.index.find("restart a vm", 1)[0].name == "Microsoft.Compute/virtualMachines/restart/action"
        assert edition.published.providers == len(known())
    # Nobody was signed in: the server asked of its own accord, for Resource Manager and nothing else.
    assert set(own.scopes) == {"https://management.azure.com/.default"}


async def test_whoever_looks_does_not_begin_a_second_reading(telling: Telling, storage: Storage) -> None:
    async with opened(telling, storage) as (azure, _):
        for _ in range(5):
            assert await azure.operations().edition() is None
        await azure.operations().settled()
    assert telling.asked.count("/providers") == 1


async def test_where_azure_does_not_permit_it_that_is_said(telling: Telling, storage: Storage) -> None:
    telling.answers = {one.lower(): failing(403, "AuthorizationFailed") for one in known()}
    async with opened(telling, storage) as (azure, _):
        library = azure.operations()
        await library.edition()
        await library.settled()
        assert await library.edition() is None
        assert "could not be built: Azure does not permit this (403 AuthorizationFailed)" in library.state


async def test_how_far_a_reading_is_can_be_told(telling: Telling, storage: Storage) -> None:
    async with opened(telling, storage) as (azure, _):
        library = azure.operations()
        states: list[str] = []

        def note() -> web.StreamResponse:
            states.append(library.state)
            return failing(404)()

        telling.answers["microsoft.web"] = note
        await library.edition()
        await library.settled()
    assert f" of {len(known())} providers have been read; about " in states[0]


async def test_an_old_index_still_serves_and_says_how_old_it_is(telling: Telling, storage: Storage) -> None:
    await publish(storage, operations_of(list(known().values())), datetime(2026, 1, 2, tzinfo=UTC))
    async with caller(telling, storage) as someone:
        failed, text, items = await find(someone, query="aks clusters", max_results=1)
    assert not failed
    assert items[0]["operation"] == "Microsoft.ContainerService/managedClusters/read"
    assert "The index is from 2026-01-02 and has not been refreshed since." in text
    assert telling.asked == []


class Away:
    """Storage that does not answer."""

    def __getattr__(self, name: str) -> Any:
        async def call(*_args: Any) -> None:
            if name != "close":
                raise StorageError("The storage is away.")

        return call


async def test_storage_that_is_away_is_said_and_a_named_provider_is_still_found(telling: Telling) -> None:
    async with caller(telling, cast("Storage", Away())) as someone:
        failed, text, _ = await find(someone, query="vm")
        assert failed
        assert "The storage that contains the index of all operations does not respond." in text
        failed, _, items = await find(someone, query="vm", namespace="Microsoft.Compute")
        assert (failed, items[0]["operation"]) == (False, "Microsoft.Compute/virtualMachines/read")


async def test_a_provider_that_there_is_not_is_said(telling: Telling, storage: Storage) -> None:
    telling.going_on.clear()
    async with caller(telling, storage) as someone:
        failed, text, _ = await find(someone, query="vm", namespace="Microsoft.Nothing")
        telling.going_on.set()
    assert failed
    assert "404 ProviderNotFound" in text
